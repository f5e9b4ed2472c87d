// decode(encode(x)) == x over one template file: made-up values through the encoder, then through the
// decoder, its generated tier where there is one, and their plain twin.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"
#include "tests/support/random_messages.h"
#include "tests/support/same_numbers.h"

namespace tickpath::test {

/// What the operators of made-up templates cannot express; anything else would be a defect.
[[nodiscard]] inline bool is_expected_refusal(Errc error) {
    return error == Errc::unrepresentable || error == Errc::d3 || error == Errc::d4 || error == Errc::d6;
}

struct RoundTripCounts {
    std::uint64_t messages = 0;
    std::map<std::string, std::uint64_t> refused;
};

/// One template file, the encoder and all decoders.
class FastRoundTrip {
public:
    FastRoundTrip(const std::string& xml, const std::shared_ptr<const fast::Templates>& templates,
                  fast::DecoderOptions options)
        : options_(options),
          templates_(templates),
          builder_(templates_),
          encoder_(templates_, {.reset = options.reset,
                                .reset_template_id = options.reset_template_id,
                                .strict = options.strict}),
          interpreted_(templates_, options),
          plain_(definitions(xml), options) {}

    /// The same templates with generated decoders: what comes back through them is compared as well.
    void add_tier(const std::shared_ptr<const fast::Templates>& generated) {
        generated_.emplace(generated, options_);
    }

    /// A datagram of a few messages, there and back. False when what comes back is something else.
    bool run(RandomMessages& random, RoundTripCounts& counts) {
        datagram_.clear();
        sent_.clear();
        encoder_.begin_datagram();
        for (std::uint64_t i = 0, count = 1 + random.below(3); i < count; ++i)
            if (!send(random, counts)) return false;
        EXPECT_EQ(received(fast_outcome(interpreted_, datagram_)), sent_);
        EXPECT_EQ(received(plain_.decode(datagram_)), sent_);
        if (generated_) {
            EXPECT_EQ(received(fast_outcome(*generated_, datagram_)), sent_) << "generated";
        }
        return !::testing::Test::HasFailure();
    }

private:
    bool send(RandomMessages& random, RoundTripCounts& counts) {
        encoder_.set_mode(random.chance(30) ? fast::EncodeMode::explicit_ : fast::EncodeMode::compact);
        std::array<std::byte, 4'096> out{};
        if (options_.reset == fast::ResetRule::template_id && random.chance(10)) {
            if (templates_->find_template(options_.reset_template_id) == nullptr) {
                take(encoder_.encode_reset(out), out, std::to_string(options_.reset_template_id) + " {}\n");
                return true;
            }
        }
        const fast::Template& tmpl = templates_->all()[random.below(templates_->all().size())];
        if (!random.build(builder_, tmpl)) {
            EXPECT_EQ(builder_.error(), Errc::missing) << builder_.error_field();
            return builder_.error() == Errc::missing;
        }
        const fast::EncodeResult result = encoder_.encode(builder_, out);
        if (!result) {
            ++counts.refused[std::string(code(result.error))];
            EXPECT_TRUE(is_expected_refusal(result.error))
                << code(result.error) << " in " << encoder_.error_place().field;
            return is_expected_refusal(result.error);
        }
        Json fields = fast_fields(tmpl.fields(), builder_.row());
        take(result, out, line(tmpl.label(), fields));
        ++counts.messages;
        return true;
    }

    void take(fast::EncodeResult result, const std::array<std::byte, 4'096>& out,
              const std::string& message) {
        EXPECT_TRUE(result);
        datagram_.insert(datagram_.end(), out.begin(),
                         out.begin() + static_cast<std::ptrdiff_t>(result.size_bytes));
        sent_ += message;
    }

    // Where a part of a decimal is constant the number comes back, not the pair.
    [[nodiscard]] std::string line(const std::string& label, Json& fields) const {
        if (const fast::Template* const tmpl = templates_->find_template(label))
            normalise_constant_parts(*templates_, tmpl->fields(), fields);
        return label + ' ' + fields.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
    }
    [[nodiscard]] std::string received(const PlainFastDecoder::Outcome& outcome) const {
        std::string all;
        for (Json message : outcome.messages) {
            all += line(message["template"], message["fields"]);
            if (message.contains("reports") && options_.strict) all += message["reports"].dump();
        }
        return all + outcome.error;
    }

    static std::vector<fast::TemplateDefinition> definitions(const std::string& xml) {
        Diagnostics diagnostics;
        const fast::TemplateSource source = {xml, "round trip"};
        return fast::read_definitions(std::span(&source, 1), diagnostics, {});
    }

    fast::DecoderOptions options_;
    std::shared_ptr<const fast::Templates> templates_;
    fast::MessageBuilder builder_;
    fast::Encoder encoder_;
    fast::Decoder interpreted_;
    std::optional<fast::Decoder> generated_;
    PlainFastDecoder plain_;
    std::vector<std::byte> datagram_;
    std::string sent_;
};

}  // namespace tickpath::test
