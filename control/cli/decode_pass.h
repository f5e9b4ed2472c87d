// Decodes the datagrams of one input and hands messages and errors to an output: knows the decoder and where
// its results go, not where datagrams come from. Cold.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "control/cli/decode_output.h"
#include "control/cli/decode_settings.h"
#include "control/cli/payloads.h"
#include "control/cli/per_group.h"

namespace tickpath::cli {

/// What one pass over the input, or a part of it, came to.
struct DecodeTotals {
    std::uint64_t messages = 0;
    std::uint64_t errors = 0;
    std::uint64_t frames_passed_over = 0;  ///< frames of a capture that carry no UDP over IPv4
    std::array<std::uint64_t, fast::report_count> reports{};
    std::string input_error;  ///< the file itself could not be read to its end

    void add(const DecodeTotals& part);
};

class DecodePass : public DatagramHandler {
public:
    enum class Shows { messages, occurrences };  ///< occurrences: see DecodeOutput::needs_two_passes

    /// `after_message`, if any, may print what the output has: a file without framing is one datagram.
    DecodePass(const DecodeSettings& settings, DecodeOutput& output, Shows shows,
               std::function<void()> after_message = {})
        : settings_(settings),
          decoders_(
              settings.decoder.reset,
              [&settings] { return std::make_unique<fast::Decoder>(settings.templates, settings.decoder); }),
          output_(output),
          shows_(shows),
          after_message_(std::move(after_message)) {}

    std::optional<std::size_t> on_datagram(Bytes body, std::size_t tailroom_bytes, const DatagramPlace& place,
                                           bool stops_after_one) override;
    void on_framing_error(const DatagramPlace& place, Errc error, std::size_t offset,
                          const std::string& template_text) override;
    void on_loss(const DatagramPlace& place) override;
    [[nodiscard]] std::string last_template() const override { return decoder_->message().tmpl().label(); }

    /// Totals since the last call.
    [[nodiscard]] DecodeTotals take_totals();

private:
    void show(const DatagramPlace& place, const fast::Message& message);
    void fail(const DatagramPlace& place, const DecodeFailure& failure);
    [[nodiscard]] bool is_reset(const fast::Message& message) const;

    const DecodeSettings& settings_;
    PerGroup<fast::Decoder> decoders_;
    fast::Decoder* decoder_ = nullptr;  // of the datagram last handed in
    DecodeOutput& output_;
    Shows shows_;
    std::function<void()> after_message_;
    DecodeTotals totals_;
};

}  // namespace tickpath::cli
