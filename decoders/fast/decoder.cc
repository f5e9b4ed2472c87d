#include "decoders/fast/decoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "decoders/fast/interpreter.h"
#include "decoders/fast/segments.h"

namespace tickpath::fast {
namespace {

constexpr std::size_t tailroom_bytes_min = 64;
// Text slots have 30 bits for an offset; sequence slots 32 for a word.
constexpr std::size_t datagram_bytes_limit = (std::size_t{1} << 30) - 1;

RuntimeLimits runtime_limits(const Limits& limits) {
    return {.sequence_length_max = limits.sequence_length_max,
            .dynamic_depth_max = limits.dynamic_depth_max,
            .row_words_max = limits.row_words_max,
            .scratch_bytes_max = limits.scratch_bytes_max,
            .dictionary_text_bytes_max = limits.dictionary_text_bytes_max};
}

/// Generated code where there is some, the interpreter elsewhere.
std::vector<RunFunction> run_functions(const Templates& templates) {
    const GeneratedDecoders* const generated = templates.generated();
    std::vector<RunFunction> runs;
    for (const TemplateCode& code : templates.program().templates) {
        const RunFunction straight = generated != nullptr ? generated->templates[runs.size()] : nullptr;
        runs.push_back(straight != nullptr ? straight : interpreter_of(code));
    }
    return runs;
}

}  // namespace

struct Decoder::State {
    State(const Templates& templates, const DecoderOptions& options)
        : runtime(templates.program(), runtime_limits(options.limits)),
          padded(options.limits.datagram_bytes_max + templates.program().padding_bytes),
          dictionary_outlives_datagram(options.reset == ResetRule::never ||
                                       options.reset == ResetRule::template_id) {
        runtime.strict = options.strict;
        runtime.string_bytes_max = options.limits.string_bytes_max;
        runtime.entity_bytes_max = options.limits.entity_bytes_max;
        runtime.map_bytes_max = options.limits.map_bytes_max;
        runtime.runs = run_functions(templates);
        runtime.context.templates = templates.all().data();
        const std::uint32_t reset_index = runtime.program->index_of(options.reset_template_id);
        if (options.reset == ResetRule::template_id && reset_index != Message::no_template)
            runtime.resets[reset_index] = 1;
        reset_template.id_ = options.reset_template_id;
        reset_template.label_ = std::to_string(options.reset_template_id);
    }

    Runtime runtime;
    std::vector<std::uint8_t> padded;
    const std::uint8_t* at = nullptr;
    const std::uint8_t* message_begin = nullptr;
    bool dictionary_outlives_datagram;
    Template reset_template;  ///< of a reset message that the XML does not have
    const std::uint64_t reset_row = 1;
};

Decoder::Decoder(std::shared_ptr<const Templates> templates, DecoderOptions options)
    : templates_(std::move(templates)),
      options_(options),
      state_(std::make_unique<State>(*templates_, options_)) {}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

void Decoder::reset() noexcept {
    state_->runtime.forget();
    poisoned_ = false;
}

void Decoder::set_entry_sink(EntrySink sink) noexcept {
    state_->runtime.entry_sink = sink;
}

void Decoder::begin(std::span<const std::byte> datagram, std::size_t writable_tailroom_bytes) noexcept {
    Runtime& runtime = state_->runtime;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(datagram.data());
    std::size_t size = datagram.size();
    const std::size_t padding = runtime.program->padding_bytes;
    error_ = runtime.error = Errc::ok;
    runtime.failed_at = nullptr;
    if (size <= datagram_bytes_limit && writable_tailroom_bytes >= std::max(tailroom_bytes_min, padding)) {
        // The caller says that the bytes behind the datagram are its own to give away.
        std::memset(const_cast<std::uint8_t*>(bytes) + size, sentinel_byte, padding);
    } else {
        if (size > state_->padded.size() - padding) {
            error_ = runtime.error = Errc::limit;
            size = 0;
        }
        if (size != 0) std::memcpy(state_->padded.data(), bytes, size);
        std::memset(state_->padded.data() + size, sentinel_byte, padding);
        bytes = state_->padded.data();
    }
    runtime.begin = bytes;
    runtime.end = bytes + size;
    runtime.context.text[static_cast<std::size_t>(TextSpace::datagram)] =
        reinterpret_cast<const char*>(bytes);
    runtime.scratch_used = 0;
    state_->at = state_->message_begin = bytes;
    if (options_.reset == ResetRule::datagram) reset();
}

bool Decoder::next() noexcept {
    return next_with([](const Runtime& runtime) { return runtime.runs[runtime.template_index]; });
}

template <class RunOf>
[[gnu::always_inline]] inline bool Decoder::next_with(RunOf run_of) noexcept {
    Runtime& runtime = state_->runtime;
    if (error_ != Errc::ok || state_->at >= runtime.end) return false;
    if (options_.reset == ResetRule::message) reset();
    if (options_.reset != ResetRule::datagram) runtime.scratch_used = 0;
    runtime.begin_message();
    state_->message_begin = state_->at;

    Cursor in(state_->at, runtime);
    SegmentHead head;
    if (!read_head(runtime, in, head)) return fail(in.at(), runtime.error);
    if (poisoned_ && !lifts_poison(head.has_identifier)) return fail(in.at(), Errc::poisoned);
    if (runtime.template_index == Message::no_template) return next_without_template(in.at(), head.map);
    const TemplateCode& code = runtime.program->templates[runtime.template_index];
    std::uint64_t* const row = begin_template(runtime, in, code);
    if (row == nullptr) return fail(in.at(), runtime.error);

    message_.template_index_ = runtime.template_index;
    message_.template_id_ = runtime.template_id;
    state_->at = in.at();
    const bool is_whole = run_of(runtime)(runtime, code, state_->at, head.map, row);
    if (!is_whole || (state_->dictionary_outlives_datagram && !keep_texts(runtime, code))) [[unlikely]]
        return fail(state_->at, runtime.error);
    deliver(templates_->all()[message_.template_index_], Row(row, &runtime.context));
    return true;
}

void Decoder::keep_undo_log() {
    Runtime& runtime = state_->runtime;
    runtime.undo_log = std::make_unique<UndoLog>(runtime);
}

bool Decoder::next_in_stream() noexcept {
    Runtime& runtime = state_->runtime;
    if (error_ != Errc::ok || state_->at >= runtime.end) return false;
    const bool was_poisoned = poisoned_;
    const std::uint8_t* const from = state_->at;
    runtime.undo_log->begin(runtime);
    if (next_with([](const Runtime&) -> RunFunction { return &run<LoggedState>; })) return true;
    if (error_ != Errc::truncated) return false;
    runtime.undo_log->undo(runtime);
    runtime.error = error_ = Errc::ok;
    runtime.failed_at = nullptr;
    poisoned_ = was_poisoned;
    state_->at = from;
    return false;
}

void Decoder::fail_in_stream(Errc error) noexcept {
    static_cast<void>(fail(state_->at, error));
}

void Decoder::deliver(const Template& tmpl, Row root) noexcept {
    const Runtime& runtime = state_->runtime;
    message_.template_ = &tmpl;
    message_.root_ = root;
    message_.start_ = static_cast<std::uint32_t>(state_->message_begin - runtime.begin);
    message_.end_ = static_cast<std::uint32_t>(state_->at - runtime.begin);
    message_.reports_ = runtime.reports;
    ++counts_.messages;
    if (runtime.reports != 0) [[unlikely]]
        count_reports();
}

void Decoder::count_reports() noexcept {
    for (std::size_t i = 0; i < report_count; ++i)
        counts_.reports[i] += message_.reports_ >> i & 1u;
}

// Only a message that names a resetting template lifts poison: a remembered identifier is as doubtful as the
// rest.
bool Decoder::lifts_poison(bool has_identifier) noexcept {
    const Runtime& runtime = state_->runtime;
    const bool resets = runtime.template_index == Message::no_template
                            ? is_reset_without_template()
                            : runtime.resets[runtime.template_index] != 0;
    if (has_identifier && resets) poisoned_ = false;
    return !poisoned_;
}

bool Decoder::is_reset_without_template() const noexcept {
    return options_.reset == ResetRule::template_id &&
           state_->runtime.template_id == options_.reset_template_id;
}

// Either the feed's reset message, which some XML files do not have (T7), or D9.
bool Decoder::next_without_template(const std::uint8_t* at, std::uint64_t map) noexcept {
    Runtime& runtime = state_->runtime;
    if (!is_reset_without_template() || at > runtime.end) return fail(at, Errc::d9);
    if ((map != 0 || has_bits_left(runtime.wide)) && !runtime.report(Report::r8, at))
        return fail(at, runtime.error);
    runtime.forget();
    runtime.has_template_id = true;
    state_->at = at;
    message_.template_index_ = Message::no_template;
    message_.template_id_ = runtime.template_id;
    deliver(state_->reset_template, Row(&state_->reset_row, &runtime.context));
    return true;
}

bool Decoder::fail(const std::uint8_t* at, Errc error) noexcept {
    Runtime& runtime = state_->runtime;
    error_ = at > runtime.end ? Errc::truncated : error;
    state_->at = std::min(at, runtime.end);
    poison();
    return false;
}

void Decoder::lift_poison() noexcept {
    poisoned_ = false;
    if (state_->dictionary_outlives_datagram) forget_unkept_texts(state_->runtime);
}

void Decoder::poison() noexcept {
    poisoned_ = poisoned_ || state_->dictionary_outlives_datagram;
}

DecodeError Decoder::error_place() const noexcept {
    const Runtime& runtime = state_->runtime;
    DecodeError place;
    place.error = error_;
    if (error_ == Errc::ok) return place;
    place.offset = static_cast<std::uint32_t>(state_->at - runtime.begin);
    place.template_id = runtime.template_id;
    if (runtime.failed_at == nullptr) {
        // Before the first field only the identifier can be out of bounds or not there.
        if (error_ == Errc::d2 || error_ == Errc::d5) place.field = "template identifier";
        return place;
    }
    const Program& program = *runtime.program;
    const InstructionPlace& at =
        program.places[static_cast<std::size_t>(runtime.failed_at - program.code.data())];
    place.template_label = templates_->all()[at.template_index].label();
    place.field = program.paths[at.path];
    return place;
}

}  // namespace tickpath::fast
