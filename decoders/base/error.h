// The one list of everything that can be wrong with bytes from outside, and Result, a value or an Errc.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace tickpath {

// name, code as printed, phrase for a person. One line per error; a room that needs a new one adds its line
// here. S, D and R codes: FAST specification 1.1, appendix 4. The others are ours (FAST 1.1 names no
// truncation, for example).
#define TICKPATH_ERRORS(X)                                                                           \
    X(ok, "ok", "no error")                                                                          \
    X(truncated, "truncated", "the input ends inside an entity")                                     \
    X(limit, "limit", "a configured bound on length, depth or size is exceeded")                     \
    X(trailing, "trailing", "bytes are left after the last message of the frame")                    \
    X(poisoned, "poisoned", "the dictionary is unreliable after an earlier error; a reset lifts it") \
    X(s1, "S1", "the template XML is not well-formed or breaks the schema")                          \
    X(s2, "S2", "the operator does not apply to the field's type")                                   \
    X(s3, "S3", "the initial value does not convert to the field's type")                            \
    X(s4, "S4", "a constant has no initial value")                                                   \
    X(s5, "S5", "a mandatory default has no initial value")                                          \
    X(d1, "D1", "the template's type does not convert to the application's type")                    \
    X(d2, "D2", "an integer on the wire is outside its type's bounds")                               \
    X(d3, "D3", "the decimal cannot be encoded with its individual operators")                       \
    X(d4, "D4", "the previous value's type differs from the field's")                                \
    X(d5, "D5", "a mandatory value is not on the wire and has no previous and no initial value")     \
    X(d6, "D6", "a mandatory value is not on the wire and its previous value is empty")              \
    X(d7, "D7", "the subtraction length is outside the base value")                                  \
    X(d8, "D8", "a static reference names an unknown template")                                      \
    X(d9, "D9", "the template identifier is unknown")                                                \
    X(d10, "D10", "a byte vector does not convert to or from this type")                             \
    X(d11, "D11", "the string does not have the syntax of the target type")                          \
    X(d12, "D12", "the block size is zero")                                                          \
    X(r1, "R1", "the decimal's exponent or mantissa is outside its range")                           \
    X(r2, "R2", "the Unicode value is not valid UTF-8")                                              \
    X(r3, "R3", "a non-ASCII character cannot become ASCII")                                         \
    X(r4, "R4", "the integer does not fit the target type")                                          \
    X(r5, "R5", "the decimal is not a whole number or does not fit the integer")                     \
    X(r6, "R6", "the integer is overlong")                                                           \
    X(r7, "R7", "the presence map is overlong")                                                      \
    X(r8, "R8", "the presence map has more bits than the segment uses")                              \
    X(r9, "R9", "the string is overlong")                                                            \
    X(unrepresentable, "unrepresentable", "the field's operator cannot express the value")           \
    X(inexact, "inexact", "the value cannot be held exactly at the instrument's scale")              \
    X(input_overrun, "input_overrun", "the LZO1Z block ends before its end marker")                  \
    X(output_overrun, "output_overrun", "the decompressed bytes do not fit the output")              \
    X(lookbehind_overrun, "lookbehind_overrun",                                                      \
      "a match reaches before the first decompressed byte: wrong variant (LZO1X/1Y)?")               \
    X(trailing_input, "trailing_input", "bytes are left after the LZO1Z end marker")                 \
    X(bad_length, "bad_length", "a length field disagrees with the bytes that are there")            \
    X(bad_checksum, "bad_checksum", "the checksum does not match")                                   \
    X(bad_syntax, "bad_syntax", "the text does not have the required form")                          \
    X(missing, "missing", "something required is not there")                                         \
    X(unknown, "unknown", "the name or number is not known")                                         \
    X(io, "io", "the operating system refused")                                                      \
    X(config, "config", "the configuration is wrong")

enum class Errc : std::uint8_t {
#define TICKPATH_ERRC(name, code, phrase) name,
    TICKPATH_ERRORS(TICKPATH_ERRC)
#undef TICKPATH_ERRC
};

inline constexpr std::size_t errc_count = 0
#define TICKPATH_ERRC(name, code, phrase) +1
    TICKPATH_ERRORS(TICKPATH_ERRC)
#undef TICKPATH_ERRC
    ;

/// The code as it is printed in output and reports: "D5", "truncated".
[[nodiscard]] std::string_view code(Errc error) noexcept;

/// One phrase for a person, without place: "the template identifier is unknown".
[[nodiscard]] std::string_view describe(Errc error) noexcept;

/// A value or an Errc. The names are those of std::expected, so that it can become an alias one day.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Errc error) : state_(std::in_place_index<1>, error) { assert(error != Errc::ok); }

    [[nodiscard]] explicit operator bool() const noexcept { return state_.index() == 0; }
    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    [[nodiscard]] T& operator*() noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] const T& operator*() const noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&state_); }
    [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&state_); }
    [[nodiscard]] Errc error() const noexcept { return has_value() ? Errc::ok : *std::get_if<1>(&state_); }

private:
    std::variant<T, Errc> state_;
};

}  // namespace tickpath
