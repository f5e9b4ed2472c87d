// Runs the FAST decoder over a datagram and puts down what it did, in the form of its plain twin.
#pragma once

#include <span>
#include <string>

#include "decoders/fast/decoder.h"
#include "tests/support/fast_values.h"
#include "tests/support/plain_fast_decoder.h"

namespace tickpath::test {

[[nodiscard]] inline PlainFastDecoder::Outcome fast_outcome(fast::Decoder& decoder,
                                                            std::span<const std::byte> datagram,
                                                            std::size_t writable_tailroom_bytes = 0) {
    PlainFastDecoder::Outcome outcome;
    decoder.begin(datagram, writable_tailroom_bytes);
    while (decoder.next()) {
        const fast::Message& message = decoder.message();
        Json decoded = {{"template", message.tmpl().label()},
                        {"start", message.start()},
                        {"end", message.end()},
                        {"fields", fast_fields(message.tmpl().fields(), message.root())}};
        for (const fast::Report report :
             {fast::Report::r2, fast::Report::r6, fast::Report::r7, fast::Report::r8, fast::Report::r9})
            if (message.reported(report))
                decoded["reports"].push_back(std::string(code(fast::errc_of(report))));
        outcome.messages.push_back(decoded);
    }
    if (decoder.error() != Errc::ok) outcome.error = code(decoder.error());
    return outcome;
}

/// One line to compare; bytes that are no UTF-8 show as escapes.
[[nodiscard]] inline std::string to_line(const PlainFastDecoder::Outcome& outcome) {
    std::string line;
    for (const Json& message : outcome.messages)
        line += message.dump(-1, ' ', true, Json::error_handler_t::replace) + ' ';
    return line + outcome.error;
}

}  // namespace tickpath::test
