// Decompresses the blocks of one NSE channel into an arena of its own, as far as somebody wants to read. Hot:
// once per compressed message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dataplane/core/counters.h"
#include "decoders/base/error.h"
#include "decoders/framing/nse.h"
#include "decoders/lzo1z/decompress.h"

namespace tickpath::feed {

/// Counters of one channel's blocks. What an interest filter saved is blocks_given_up, and the bytes that
/// those had decompressed until then.
struct DecompressCounters {
    DecompressCounters(core::CounterPage& page, std::string_view owner)
        : blocks(page.add(owner, "blocks")),
          block_bytes(page.add(owner, "block_bytes")),
          message_bytes(page.add(owner, "message_bytes")),
          blocks_given_up(page.add(owner, "blocks_given_up")),
          given_up_bytes(page.add(owner, "given_up_bytes")) {
        for (const Errc error :
             {Errc::input_overrun, Errc::output_overrun, Errc::lookbehind_overrun, Errc::trailing_input})
            failures[static_cast<std::size_t>(error)] = page.add(owner, "lzo1z_" + std::string(code(error)));
    }

    core::Counter blocks;
    core::Counter block_bytes;
    core::Counter message_bytes;  ///< of blocks that were decompressed to their end
    core::Counter blocks_given_up;
    core::Counter given_up_bytes;
    std::array<core::Counter, errc_count> failures;
};

class DecompressStage {
public:
    DecompressStage(core::CounterPage& page, std::string_view owner) : counters_(page, owner) {}

    DecompressStage(const DecompressStage&) = delete;
    DecompressStage& operator=(const DecompressStage&) = delete;

    /// One block on its way; the next one takes its place in the arena.
    class Block {
    public:
        Block(std::span<const std::byte> block, DecompressStage& stage) noexcept
            : stage_(stage), run_(block, std::span(stage.arena_).first(framing::nse::message_bytes_max)) {
            stage.counters_.blocks.add();
            stage.counters_.block_bytes.add(block.size());
        }

        /// Makes the first `bytes` bytes valid, or all there are. False on an error, which was counted.
        [[nodiscard]] bool reach(std::size_t bytes) noexcept {
            if (bytes <= result_.written || run_.finished()) return result_.error == Errc::ok;
            result_ = run_.advance(bytes);
            if (result_.error != Errc::ok) [[unlikely]]
                stage_.count_failure(result_.error);
            return result_.error == Errc::ok;
        }
        /// The whole block.
        [[nodiscard]] bool finish() noexcept {
            if (!reach(framing::nse::message_bytes_max + 1)) [[unlikely]]
                return false;
            stage_.counters_.message_bytes.add(result_.written);
            return true;
        }
        /// Nobody wants the rest, if there is any.
        void give_up() noexcept {
            if (run_.finished()) return;
            stage_.counters_.blocks_given_up.add();
            stage_.counters_.given_up_bytes.add(result_.written);
        }
        /// What is valid so far.
        [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
            return std::span<const std::byte>(stage_.arena_).first(result_.written);
        }
        [[nodiscard]] const lzo1z::DecompressResult& result() const noexcept { return result_; }

    private:
        DecompressStage& stage_;
        lzo1z::Decompression run_;
        lzo1z::DecompressResult result_;
    };

    [[nodiscard]] const DecompressCounters& counters() const noexcept { return counters_; }
    /// Most blocks look back before their beginning: what LZO1X and LZO1Y look like here (spec nse-broadcast
    /// §3).
    [[nodiscard]] bool suggests_other_variant() const noexcept {
        return counters_.failures[static_cast<std::size_t>(Errc::lookbehind_overrun)].value() * 2 >
               counters_.blocks.value();
    }

private:
    [[gnu::cold, gnu::noinline]] void count_failure(Errc error) noexcept {
        counters_.failures[static_cast<std::size_t>(error)].add();
    }

    DecompressCounters counters_;
    alignas(64) std::array<std::byte, framing::nse::message_bytes_max + lzo1z::output_slack_bytes> arena_{};
};

}  // namespace tickpath::feed
