// The decoder and its plain twin over the same template file and the same bytes: they must give the same
// values and the same errors, whether the decoder finds tailroom behind the datagram or has to copy it.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"

namespace tickpath::test {

class FastTwins {
public:
    FastTwins(const std::string& xml, fast::DecoderOptions options)
        : templates_(load(xml)),
          tailroom_bytes_(std::max<std::size_t>(64, templates_->program().padding_bytes)),
          copying_(templates_, options),
          in_place_(templates_, options),
          plain_(definitions(xml), options) {}

    /// Decodes with all; returns how many messages there were, or nullopt when they disagree.
    std::optional<std::size_t> agree(std::span<const std::byte> datagram) {
        const PlainFastDecoder::Outcome plain = plain_.decode(datagram);
        const PlainFastDecoder::Outcome copied = fast_outcome(copying_, datagram);
        buffer_.assign(datagram.begin(), datagram.end());
        buffer_.resize(datagram.size() + tailroom_bytes_, std::byte{0x11});
        const PlainFastDecoder::Outcome in_place =
            fast_outcome(in_place_, {buffer_.data(), datagram.size()}, tailroom_bytes_);
        if (ran_out_of_rows(plain, copied, in_place)) {
            reset();
            return copied.messages.size();
        }
        const std::string expected = to_line(plain);
        if (to_line(copied) == expected && to_line(in_place) == expected &&
            has_sound_place(datagram.size(), plain) && is_untouched(datagram))
            return plain.messages.size();
        ADD_FAILURE() << "plain:    " << expected << "\ncopied:   " << to_line(copied) << " at "
                      << copying_.error_place().offset << "\nin place: " << to_line(in_place) << " at "
                      << in_place_.error_place().offset << "\nbytes "
                      << hex_text({reinterpret_cast<const char*>(datagram.data()), datagram.size()});
        return std::nullopt;
    }

    void reset() {
        copying_.reset();
        in_place_.reset();
        plain_.reset();
    }

private:
    // The decoder's memory for rows is bounded, the twin's is not. Dictionaries differ behind that.
    [[nodiscard]] static bool ran_out_of_rows(const PlainFastDecoder::Outcome& plain,
                                              const PlainFastDecoder::Outcome& copied,
                                              const PlainFastDecoder::Outcome& in_place) {
        return plain.error != "limit" && copied.error == "limit" && to_line(copied) == to_line(in_place) &&
               copied.messages.size() <= plain.messages.size() &&
               std::equal(copied.messages.begin(), copied.messages.end(), plain.messages.begin());
    }
    // The twin says where messages end, and an error is behind the last one; both inputs stop at one byte.
    [[nodiscard]] bool has_sound_place(std::size_t size, const PlainFastDecoder::Outcome& plain) const {
        if (plain.error.empty()) return true;
        const std::size_t end = plain.messages.empty() ? 0 : plain.messages.back()["end"].get<std::size_t>();
        const std::uint32_t offset = copying_.error_place().offset;
        return offset == in_place_.error_place().offset && offset >= end && offset <= size;
    }
    [[nodiscard]] bool is_untouched(std::span<const std::byte> datagram) const {
        return std::equal(datagram.begin(), datagram.end(), buffer_.begin());
    }
    static std::shared_ptr<const fast::Templates> load(const std::string& xml) {
        Diagnostics diagnostics;
        auto templates = fast::load_templates(xml, "twins", diagnostics);
        EXPECT_TRUE(templates) << diagnostics.format() << xml;
        return templates;
    }
    static std::vector<fast::TemplateDefinition> definitions(const std::string& xml) {
        Diagnostics diagnostics;
        const fast::TemplateSource source = {xml, "twins"};
        return fast::read_definitions(std::span(&source, 1), diagnostics, {});
    }

    std::shared_ptr<const fast::Templates> templates_;
    std::size_t tailroom_bytes_;
    fast::Decoder copying_;
    fast::Decoder in_place_;
    PlainFastDecoder plain_;
    std::vector<std::byte> buffer_;
};

}  // namespace tickpath::test
