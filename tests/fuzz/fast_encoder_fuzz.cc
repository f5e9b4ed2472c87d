// Fuzzes the FAST encoder: what it makes of any values decodes to the same through the decoder and its plain
// twin, and so does what a decoder made of any bytes; what it refuses leaves its dictionary as it was. Input:
// one byte of options; then either bytes that choose templates and values, or datagrams, each behind a byte
// with its length.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"
#include "tests/fuzz/fast_fuzz_templates.h"
#include "tests/support/fast_outcome.h"
#include "tests/support/plain_fast_decoder.h"
#include "tests/support/random_messages.h"
#include "tests/support/same_numbers.h"

namespace tickpath {
namespace {

constexpr std::uint8_t strict_option = 4;
constexpr std::uint8_t explicit_option = 8;
constexpr std::uint8_t datagrams_option = 16;

struct Loaded {
    std::shared_ptr<const fast::Templates> templates;
    std::vector<fast::TemplateDefinition> definitions;
};

const Loaded& loaded() {
    static const Loaded once = [] {
        const std::string xml = test::fuzz_templates();
        Diagnostics diagnostics;
        const fast::TemplateSource source = {xml, "fuzz"};
        Loaded result{fast::load_templates(xml, "fuzz", diagnostics),
                      fast::read_definitions(std::span(&source, 1), diagnostics, {})};
        if (!result.templates) std::abort();
        return result;
    }();
    return once;
}

fast::ResetRule rule_of(std::uint8_t options) {
    constexpr fast::ResetRule rules[] = {fast::ResetRule::message, fast::ResetRule::datagram,
                                         fast::ResetRule::never, fast::ResetRule::template_id};
    return rules[options & 3];
}

// An encoder, and the decoders that have to understand it.
class Line {
public:
    explicit Line(std::uint8_t options)
        : is_strict_((options & strict_option) != 0),
          builder_(loaded().templates),
          encoder_(loaded().templates, {.reset = rule_of(options), .strict = is_strict_}),
          source_(loaded().templates, {.reset = fast::ResetRule::datagram}),
          fast_(loaded().templates, {.reset = rule_of(options), .strict = is_strict_}),
          plain_(loaded().definitions, {.reset = rule_of(options), .strict = is_strict_}) {}

    void begin(fast::EncodeMode mode) {
        encoder_.set_mode(mode);
        encoder_.reset();
        fast_.reset();
        plain_.reset();
    }

    void send_values(test::RandomMessages& random) {
        const std::vector<fast::Template>& all = loaded().templates->all();
        if (random.build(builder_, all[random.below(all.size())])) send(builder_.tmpl(), builder_.row());
    }

    void send_on(std::span<const std::byte> datagram) {
        source_.begin(datagram, 0);
        while (source_.next())
            send(source_.message().tmpl(), source_.message().root());
    }

private:
    void send(const fast::Template& tmpl, fast::Row row) {
        std::array<std::byte, 4'096> out;
        encoder_.begin_datagram();
        const fast::EncodeResult result = encoder_.encode(tmpl, row, out);
        if (!result) {
            if (!may_refuse(result.error)) complain(std::string(code(result.error)), "no refusal");
            return;
        }
        const std::string sent = line(tmpl.label(), test::fast_fields(tmpl.fields(), row));
        // A copy of exactly this size, so that a sanitizer sees a read behind it.
        const std::vector<std::byte> bytes(out.begin(),
                                           out.begin() + static_cast<std::ptrdiff_t>(result.size_bytes));
        expect(test::fast_outcome(fast_, bytes), sent);
        expect(plain_.decode(bytes), sent);
    }

    // What the templates' operators cannot express, and what this encoder has no room for.
    [[nodiscard]] bool may_refuse(Errc error) const {
        return error == Errc::unrepresentable || error == Errc::d3 || error == Errc::d4 ||
               error == Errc::d6 || error == Errc::limit || (error == Errc::r2 && is_strict_);
    }

    void expect(const test::PlainFastDecoder::Outcome& outcome, const std::string& sent) const {
        std::string received = outcome.error;
        for (const test::Json& message : outcome.messages) {
            received += line(message["template"], message["fields"]);
            if (is_strict_ && message.contains("reports")) received += message["reports"].dump();
        }
        if (received != sent) complain(received, sent);
    }

    [[nodiscard]] static std::string line(const std::string& label, test::Json fields) {
        const fast::Templates& templates = *loaded().templates;
        test::normalise_constant_parts(templates, templates.find_template(label)->fields(), fields);
        return label + ' ' + fields.dump(-1, ' ', true, test::Json::error_handler_t::replace);
    }

    [[noreturn]] static void complain(const std::string& received, const std::string& sent) {
        std::fprintf(stderr, "received: %s\nsent:     %s\n", received.c_str(), sent.c_str());
        std::abort();
    }

    bool is_strict_;
    fast::MessageBuilder builder_;
    fast::Encoder encoder_;
    fast::Decoder source_;
    fast::Decoder fast_;
    test::PlainFastDecoder plain_;
};

// Made once for each options byte that matters: making them costs far more than an input.
Line& line_for(std::uint8_t options) {
    static std::array<std::unique_ptr<Line>, 8> made;
    std::unique_ptr<Line>& line = made[options & 7];
    if (!line) line = std::make_unique<Line>(options);
    line->begin((options & explicit_option) != 0 ? fast::EncodeMode::explicit_ : fast::EncodeMode::compact);
    return *line;
}

}  // namespace
}  // namespace tickpath

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tickpath;
    if (size == 0) return 0;
    Line& line = line_for(data[0]);
    std::size_t at = 1;
    if ((data[0] & datagrams_option) != 0) {
        while (at < size) {
            const std::size_t length = std::min<std::size_t>(data[at], size - at - 1);
            line.send_on(std::as_bytes(std::span(data + at + 1, length)));
            at += 1 + length;
        }
        return 0;
    }
    test::RandomMessages random([&](unsigned bytes) {
        std::uint64_t number = 0;
        for (; bytes != 0 && at < size; --bytes)
            number = number << 8 | data[at++];
        return number;
    });
    while (at < size)
        line.send_values(random);
    return 0;
}
