#include "decoders/fast/fingerprint.h"

#include <initializer_list>

namespace tickpath::fast {
namespace {

// FNV-1a, a 64-bit word at a time, with its high half folded back so that high bits reach the low ones.
class Hash {
public:
    void add(std::initializer_list<std::uint64_t> words) noexcept {
        for (const std::uint64_t word : words) {
            state_ = (state_ ^ word) * 0x100'0000'01B3u;
            state_ ^= state_ >> 32;
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

private:
    std::uint64_t state_ = 0xCBF2'9CE4'8422'2325u;
};

}  // namespace

std::uint64_t fingerprint(const Program& program) noexcept {
    Hash hash;
    hash.add({program.code.size(), program.segments.size(), program.templates.size(), program.entry_count});
    for (const Instruction& op : program.code)
        hash.add({static_cast<std::uint64_t>(op.opcode), op.flags, op.slot, op.presence, op.entry, op.imm});
    for (const Segment& segment : program.segments)
        hash.add({segment.first, segment.row_words, segment.presence_words, segment.bytes_min,
                  segment.has_map, segment.wide_map});
    for (const TemplateCode& code : program.templates)
        hash.add({code.first, code.row_words, code.presence_words, code.dictionary_word, code.narrow,
                  code.wide_map});
    return hash.value();
}

}  // namespace tickpath::fast
