#include "decoders/lzo1z/compress.h"

#include "decoders/lzo1z/block_writer.h"
#include "decoders/lzo1z/match_finder.h"

namespace tickpath::lzo1z {
namespace {

constexpr unsigned tries_fast = 1;
constexpr unsigned tries_small = 16;
constexpr std::size_t run_field_max = 18;

/// What a match saves against the literals it stands for.
struct Choice {
    Match match;
    std::size_t saved = 0;
};

class Compression {
public:
    Compression(std::span<const std::uint8_t> input, std::span<std::byte> out, Workspace& workspace,
                Level level)
        : input_(input), finder_(input, workspace), writer_(out), level_(level) {}

    CompressResult run() noexcept {
        while (at_ + MatchFinder::hashed_bytes <= input_.size() && !writer_.overrun())
            step();
        writer_.finish(input_.subspan(literals_from_));
        if (writer_.overrun()) return {0, Errc::output_overrun};
        return {writer_.size(), Errc::ok};
    }

private:
    [[nodiscard]] Choice best_at(std::size_t at) const noexcept {
        Choice best;
        const std::size_t literals = at - literals_from_;
        const auto consider = [&](Match match) {
            const std::size_t cost = writer_.cost(match, literals);
            if (cost == 0 || match.length <= cost + best.saved) return;
            best = {match, match.length - cost};
        };
        consider(finder_.at_distance(at, writer_.remembered_distance()));
        finder_.each(at, level_ == Level::fast ? tries_fast : tries_small, consider);
        // The run before the match takes a second byte from here on: without this a block could grow past
        // max_compressed_size().
        if (literals > run_field_max && best.saved < 2) return {};
        return best;
    }

    void step() noexcept {
        const Choice here = best_at(at_);
        finder_.insert(at_);
        if (here.saved == 0) {
            skip();
            return;
        }
        if (level_ == Level::small && at_ + 1 + MatchFinder::hashed_bytes <= input_.size() &&
            best_at(at_ + 1).saved > here.saved) {
            ++at_;
            return;
        }
        misses_ = 0;
        writer_.match(input_.subspan(literals_from_, at_ - literals_from_), here.match);
        const std::size_t end = at_ + here.match.length;
        for (++at_; at_ < end && at_ + MatchFinder::hashed_bytes <= input_.size(); ++at_)
            finder_.insert(at_);
        literals_from_ = at_ = end;
    }

    // Where nothing is found for long, ever fewer positions are looked at.
    void skip() noexcept {
        ++misses_;
        at_ += level_ == Level::fast ? 1 + misses_ / 64 : 1;
        if (at_ > input_.size()) at_ = input_.size();
    }

    std::span<const std::uint8_t> input_;
    MatchFinder finder_;
    BlockWriter writer_;
    Level level_;
    std::size_t at_ = 0;
    std::size_t literals_from_ = 0;
    std::size_t misses_ = 0;
};

}  // namespace

CompressResult compress(std::span<const std::byte> input, std::span<std::byte> out, Workspace& workspace,
                        Level level) noexcept {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    return Compression(bytes, out, workspace, level).run();
}

}  // namespace tickpath::lzo1z
