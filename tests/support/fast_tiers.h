// The two tiers of the FAST decoder side by side: interpreter and generated code over the same datagrams.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "decoders/fast/decoder.h"
#include "tests/support/fast_outcome.h"

namespace tickpath::test {

class FastTiers {
public:
    FastTiers(const std::shared_ptr<const fast::Templates>& interpreted,
              const std::shared_ptr<const fast::Templates>& generated, fast::DecoderOptions options)
        : interpreted_(interpreted, options), generated_(generated, options) {}

    /// What each did with the datagram: its messages, then the error with its place. Dictionaries stay as
    /// they are, so that the datagrams that follow show whether they are equal.
    struct Both {
        std::string interpreted;
        std::string generated;
        std::size_t messages = 0;
    };
    [[nodiscard]] Both decode(std::span<const std::byte> datagram) {
        const PlainFastDecoder::Outcome outcome = fast_outcome(interpreted_, datagram);
        return {line(outcome, interpreted_), line(fast_outcome(generated_, datagram), generated_),
                outcome.messages.size()};
    }

    /// Goes on behind an error with the dictionaries that it left.
    void lift_poison() {
        interpreted_.lift_poison();
        generated_.lift_poison();
    }

private:
    static std::string line(const PlainFastDecoder::Outcome& outcome, const fast::Decoder& decoder) {
        const fast::DecodeError place = decoder.error_place();
        return to_line(outcome) + " template " + std::string(place.template_label) + " field " +
               std::string(place.field) + " offset " + std::to_string(place.offset);
    }

    fast::Decoder interpreted_;
    fast::Decoder generated_;
};

}  // namespace tickpath::test
