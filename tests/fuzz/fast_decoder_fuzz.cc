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
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"

namespace tickpath {
namespace {

// Every type, operator and presence; shared entries; groups, sequences and references; a map of more than 63
// bits.
std::string fuzz_templates() {
    std::string xml = R"(<templates>
<template name="Integers" id="1">
  <uInt32 name="n"><increment/></uInt32>
  <uInt32 name="a"/> <uInt32 name="b" presence="optional"/> <uInt32 name="c"><copy value="5"/></uInt32>
  <int32 name="d" presence="optional"><copy/></int32> <int64 name="e"><delta/></int64>
  <uInt64 name="f" presence="optional"><delta value="18446744073709551615"/></uInt64>
  <int32 name="g"><increment value="2147483647"/></int32> <uInt64 name="h" presence="optional"><default/></uInt64>
  <int64 name="i"><default value="-7"/></int64> <uInt32 name="j" presence="optional"><constant value="9"/></uInt32>
</template>
<template name="Texts" id="2">
  <string name="a"/> <string name="b" presence="optional"/> <string name="c"><copy value="AB"/></string>
  <string name="d" presence="optional"><delta/></string> <string name="e"><tail value="20260101"/></string>
  <string name="f" charset="unicode" presence="optional"><delta value="Å"/></string>
  <string name="g" charset="unicode"><tail value="Å"/></string>
  <byteVector name="h"/> <byteVector name="i" presence="optional"><copy/></byteVector>
  <byteVector name="j"><delta value="4142"/></byteVector> <string name="k" presence="optional"><default value=""/></string>
</template>
<template name="Decimals" id="3">
  <decimal name="a"/> <decimal name="b" presence="optional"/> <decimal name="c" presence="optional"><copy/></decimal>
  <decimal name="d"><delta value="12000"/></decimal>
  <decimal name="e" presence="optional"><exponent><copy/></exponent><mantissa><delta/></mantissa></decimal>
  <decimal name="f"><exponent><default value="-2"/></exponent><mantissa><copy value="3"/></mantissa></decimal>
  <decimal name="g" presence="optional"><exponent><constant value="-4"/></exponent><mantissa><copy/></mantissa></decimal>
</template>
<template name="Nested" id="4" dictionary="template">
  <uInt32 name="n"><increment value="1"/></uInt32>
  <sequence name="s"><length name="sn"><copy/></length>
    <string name="a"><copy/></string> <decimal name="p" presence="optional"/> <int64 name="q"><delta/></int64>
    <group name="g" presence="optional"><uInt32 name="x"><copy/></uInt32>
      <sequence name="t" presence="optional"><uInt32 name="y" presence="optional"/></sequence></group>
  </sequence>
  <sequence name="u"><uInt32 name="z"><constant value="1"/></uInt32></sequence>
</template>
<template name="Block" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>
<template name="References" id="5"><templateRef name="Block"/><templateRef/><uInt32 name="z"/></template>
<template name="Shared" id="6">
  <uInt32 name="a" presence="optional"><copy key="k"/></uInt32> <string name="b" presence="optional"><copy key="k"/></string>
  <uInt32 name="c" presence="optional"><delta key="k"/></uInt32>
</template>
<template name="Reset" id="120" reset="Y"/>
<template name="Wide" id="7">)";
    for (int i = 0; i < 90; ++i)
        xml += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><copy/></uInt32>";
    return xml + "</template></templates>";
}

struct Loaded {
    std::shared_ptr<const fast::Templates> templates;
    std::vector<fast::TemplateDefinition> definitions;
};

constexpr unsigned set_count = 2;

// Everyday combinations, and each instruction that a template can compile to.
std::string templates_of(unsigned set) {
    if (set == 0) return fuzz_templates();
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
