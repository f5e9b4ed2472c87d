// Fuzzes the FAST decoder: any bytes must decode to what the plain twin says, or fail like it, and nothing
// may be read or written out of bounds. Input: one byte of options, one bit of which is the template set,
// then datagrams, each behind a byte with its length.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoders/fast/decoder.h"
#include "decoders/fast/sequence_peek.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/fuzz/fast_fuzz_templates.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"

namespace tickpath {
namespace {

struct Loaded {
    std::shared_ptr<const fast::Templates> templates;
    std::vector<fast::TemplateDefinition> definitions;
};

constexpr unsigned set_count = 2;

// Everyday combinations, and each instruction that a template can compile to.
std::string templates_of(unsigned set) {
    if (set == 0) return test::fuzz_templates();
    std::ifstream in(TICKPATH_SOURCE_ROOT "/tests/decoders/fast/every_instruction.xml");
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Loaded load(unsigned set) {
    const std::string xml = templates_of(set);
    Diagnostics diagnostics;
    const fast::TemplateSource source = {xml, "fuzz"};
    Loaded result{fast::load_templates(xml, "fuzz", diagnostics),
                  fast::read_definitions(std::span(&source, 1), diagnostics, {})};
    if (!result.templates) std::abort();
    return result;
}

const Loaded& loaded(unsigned set) {
    static const std::array<Loaded, set_count> once = {load(0), load(1)};
    return once[set];
}

fast::DecoderOptions options_from(std::uint8_t byte) {
    constexpr fast::ResetRule rules[] = {fast::ResetRule::message, fast::ResetRule::datagram,
                                         fast::ResetRule::never, fast::ResetRule::template_id};
    // Small, so that reaching them costs little; with 119 the reset message is one that the XML does not
    // have.
    return {.reset = rules[byte & 3],
            .reset_template_id = (byte & 8) != 0 ? 119u : 120u,
            .strict = (byte & 4) != 0,
            .limits = {.datagram_bytes_max = 256,
                       .sequence_length_max = 300,
                       .row_words_max = 8'192,
                       .scratch_bytes_max = 4'096}};
}

struct Decoders {
    Decoders(const Loaded& set, fast::DecoderOptions options)
        : padding_bytes(std::max<std::size_t>(64, set.templates->program().padding_bytes)),
          copying(set.templates, options),
          in_place(set.templates, options),
          peek(set.templates, "n", options),
          plain(set.definitions, options) {}
    std::size_t padding_bytes;
    fast::Decoder copying;
    fast::Decoder in_place;  // sentinels behind the datagram itself
    fast::SequencePeek peek;
    test::PlainFastDecoder plain;
};

// Made once for each options byte that matters: making them costs far more than an input.
Decoders& decoders_for(std::uint8_t byte) {
    static std::array<std::unique_ptr<Decoders>, 16 * set_count> made;
    std::unique_ptr<Decoders>& decoders = made[byte % made.size()];
    if (!decoders) decoders = std::make_unique<Decoders>(loaded(byte >> 4 & 1u), options_from(byte));
    decoders->copying.reset();
    decoders->in_place.reset();
    decoders->plain.reset();
    return *decoders;
}

// A buffer of exactly the bytes that the decoder may touch, so that a sanitizer sees any other.
std::string decode_in_place(Decoders& decoders, std::span<const std::byte> datagram) {
    std::vector<std::byte> buffer(datagram.begin(), datagram.end());
    buffer.resize(datagram.size() + decoders.padding_bytes);
    return test::to_line(
        test::fast_outcome(decoders.in_place, {buffer.data(), datagram.size()}, decoders.padding_bytes));
}

[[noreturn]] void disagree(const std::string& copied, const std::string& in_place, const std::string& plain) {
    std::fprintf(stderr, "copied:   %s\nin place: %s\nplain:    %s\n", copied.c_str(), in_place.c_str(),
                 plain.c_str());
    std::abort();
}

// False when what follows cannot be compared: the twin knows nothing of memory, and where that runs out the
// decoder may say `limit` alone.
bool compare(Decoders& decoders, std::span<const std::byte> datagram) {
    static_cast<void>(decoders.peek.read(datagram, 0));
    const test::PlainFastDecoder::Outcome fast = test::fast_outcome(decoders.copying, datagram);
    const test::PlainFastDecoder::Outcome plain = decoders.plain.decode(datagram);
    const std::string in_place = decode_in_place(decoders, datagram);
    if (fast.error == "limit" && plain.error != "limit") return false;
    if (test::to_line(fast) != test::to_line(plain) || test::to_line(fast) != in_place)
        disagree(test::to_line(fast), in_place, test::to_line(plain));
    return true;
}

}  // namespace
}  // namespace tickpath

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tickpath;
    if (size == 0) return 0;
    Decoders& decoders = decoders_for(data[0]);
    for (std::size_t at = 1; at < size;) {
        const std::size_t length = std::min<std::size_t>(data[at], size - at - 1);
        // A copy of exactly this size, so that a sanitizer sees a read behind it.
        const std::vector<std::byte> datagram(reinterpret_cast<const std::byte*>(data) + at + 1,
                                              reinterpret_cast<const std::byte*>(data) + at + 1 + length);
        at += 1 + length;
        if (!compare(decoders, datagram)) break;
    }
    return 0;
}
