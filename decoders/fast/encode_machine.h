// What the encoder works on while a message is written. Hot.
#pragma once

#include <cstdint>

#include "decoders/fast/encode_dictionary.h"
#include "decoders/fast/encode_program.h"
#include "decoders/fast/wire_writer.h"

namespace tickpath::fast {

struct EncodeMachine {
    WireWriter out;
    Row row;
    const EncodeInstruction* op = nullptr;

    // The presence map under construction: bytes kept for it, and where its next bit goes.
    std::uint8_t* map = nullptr;
    std::uint8_t map_bit = 0;

    const EncodeProgram* program = nullptr;
    EncodeDictionary* dictionary = nullptr;
    std::uint32_t string_bytes_max = 0;
    std::uint32_t sequence_length_max = 0;
    std::uint32_t dynamic_depth_max = 0;
    bool is_strict = false;
    bool sends_all = false;  ///< EncodeMode::explicit_
    bool must_send = false;  ///< sends_all, or the next instruction may not rely on its entry

    Decimal parts;  ///< of the decimal with individual operators in hand, as they are sent
    std::uint32_t dynamic_depth = 0;
    Errc error = Errc::ok;

    // §10: the template identifier's own dictionary entry.
    bool has_template_id = false;
    std::uint32_t template_id = 0;

    [[nodiscard, gnu::cold, gnu::noinline]] bool fail(Errc what) noexcept {
        error = what;
        return false;
    }

    [[gnu::always_inline]] void put_bit(bool bit) noexcept {
        if (bit) *map |= map_bit;
        map_bit >>= 1;
        if (map_bit != 0) [[likely]]
            return;
        ++map;
        map_bit = first_map_bit;
    }
    static constexpr std::uint8_t first_map_bit = 0x40;

    [[nodiscard]] bool has() const noexcept { return row.has(op->ref); }
};

}  // namespace tickpath::fast
