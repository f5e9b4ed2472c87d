#include "decoders/fast/convert.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// One decoded field "f" that can be asked for as any type.
class OneField {
public:
    OneField(const std::string& xml, std::string_view hex)
        : bytes_(test::from_hex(hex)), decoder_(load_one(xml), {.reset = ResetRule::datagram}) {
        decoder_.begin(bytes_, 0);
        EXPECT_TRUE(decoder_.next()) << xml;
        field_ = *decoder_.templates().all()[0].field("f");
    }
    [[nodiscard]] Row row() const { return decoder_.message().root(); }
    [[nodiscard]] FieldRef field() const { return field_; }

    template <class T>
    [[nodiscard]] std::string integer() const {
        const Result<T> value = to_integer<T>(row(), field_);
        return value ? std::to_string(*value) : std::string(code(value.error()));
    }
    [[nodiscard]] std::string decimal() const {
        const Result<Decimal> value = to_decimal(row(), field_);
        if (!value) return std::string(code(value.error()));
        return std::to_string(value->mantissa) + 'e' + std::to_string(value->exponent);
    }
    [[nodiscard]] std::string ascii() const { return text(to_ascii(row(), field_)); }
    [[nodiscard]] std::string unicode() const { return text(to_unicode(row(), field_)); }
    [[nodiscard]] std::string bytes() const { return text(to_bytes(row(), field_)); }

private:
    static std::string text(const Result<std::string>& value) {
        return value ? '"' + *value + '"' : std::string(code(value.error()));
    }
    std::vector<std::byte> bytes_;
    Decoder decoder_;
    FieldRef field_;
};

OneField constant(const std::string& type, const std::string& value) {
    const bool is_unicode = type == "unicode";
    return {'<' + (is_unicode ? "string charset=\"unicode\"" : type) + " name=\"f\"><constant value=\"" +
                value + "\"/></" + (is_unicode ? "string" : type) + '>',
            "c0 81"};
}

TEST(FastConvert, IntegerThatDoesNotFitIsR4) {
    EXPECT_EQ(constant("uInt32", "255").integer<std::uint8_t>(), "255");
    EXPECT_EQ(constant("uInt32", "256").integer<std::uint8_t>(), "R4");
    EXPECT_EQ(constant("uInt32", "4294967295").integer<std::int32_t>(), "R4");
    EXPECT_EQ(constant("int32", "-1").integer<std::uint64_t>(), "R4");
    EXPECT_EQ(constant("int32", "-128").integer<std::int8_t>(), "-128");
    EXPECT_EQ(constant("int32", "-129").integer<std::int8_t>(), "R4");
    EXPECT_EQ(constant("uInt64", "18446744073709551615").integer<std::uint64_t>(), "18446744073709551615");
    EXPECT_EQ(constant("uInt64", "9223372036854775808").integer<std::int64_t>(), "R4");
    EXPECT_EQ(constant("int64", "-9223372036854775808").integer<std::int64_t>(), "-9223372036854775808");
}

TEST(FastConvert, DecimalThatIsNotWholeIsR5) {
    EXPECT_EQ(constant("decimal", "500").integer<std::int32_t>(), "500");
    EXPECT_EQ(constant("decimal", "-0.0").integer<std::uint8_t>(), "0");
    EXPECT_EQ(constant("decimal", "107.15").integer<std::int32_t>(), "R5");
    EXPECT_EQ(constant("decimal", "300").integer<std::uint8_t>(), "R5") << "whole, but it does not fit";
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 fe 00 07 e8").integer<std::int32_t>(), "10")
        << "(1000, -2) is whole however it was sent";
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 93 81").integer<std::uint64_t>(),
              "10000000000000000000");
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 94 81").integer<std::uint64_t>(), "R5");
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 bf 80").integer<std::uint64_t>(), "0");
}

TEST(FastConvert, TextWithoutTheSyntaxOfANumberIsD11) {
    EXPECT_EQ(constant("string", " 42 ").integer<std::int32_t>(), "42");
    EXPECT_EQ(constant("string", "-42").integer<std::int32_t>(), "-42");
    EXPECT_EQ(constant("string", "-42").integer<std::uint32_t>(), "D11") << "no sign in an unsigned type";
    EXPECT_EQ(constant("string", "300").integer<std::uint8_t>(), "R4");
    EXPECT_EQ(constant("string", "99999999999999999999999").integer<std::int64_t>(), "R4");
    for (const char* const text : {"", "-", "4 2", "+1", "0x10", "1.5", "1e3"})
        EXPECT_EQ(constant("string", text).integer<std::int32_t>(), "D11") << text;
    EXPECT_EQ(constant("unicode", "107.150").decimal(), "10715e-2");
    EXPECT_EQ(constant("string", "-.5").decimal(), "-5e-1");
    for (const char* const text : {"", ".", "-", "1.2.3", "1e3", "--1"})
        EXPECT_EQ(constant("string", text).decimal(), "D11") << text;
    EXPECT_EQ(constant("string", "9223372036854775808").decimal(), "R1");
    EXPECT_EQ(constant("string", "1" + std::string(64, '0')).decimal(), "R1");
}

TEST(FastConvert, IntegerBeyondAMantissaIsR1) {
    EXPECT_EQ(constant("uInt64", "9223372036854775807").decimal(), "9223372036854775807e0");
    EXPECT_EQ(constant("uInt64", "9223372036854775808").decimal(), "R1");
    EXPECT_EQ(constant("int64", "-5").decimal(), "-5e0");
}

TEST(FastConvert, ByteVectorToOrFromANumberIsD10) {
    EXPECT_EQ(constant("byteVector", "4142").integer<std::int32_t>(), "D10");
    EXPECT_EQ(constant("byteVector", "4142").decimal(), "D10");
    EXPECT_EQ(constant("uInt32", "5").bytes(), "D10");
    EXPECT_EQ(constant("decimal", "5").bytes(), "D10");
    EXPECT_EQ(constant("byteVector", "41 ff").ascii(), "\"41ff\"");
    EXPECT_EQ(constant("byteVector", "4142").bytes(), "\"AB\"");
    EXPECT_EQ(constant("string", "41 4B").bytes(), "\"AK\"");
    EXPECT_EQ(constant("string", "414").bytes(), "D11");
    EXPECT_EQ(constant("string", "zz").bytes(), "D11");
}

TEST(FastConvert, UnicodeBeyondAsciiIsR3) {
    EXPECT_EQ(constant("unicode", "AB").ascii(), "\"AB\"");
    EXPECT_EQ(constant("unicode", "\xC3\x85").ascii(), "R3");
    EXPECT_EQ(constant("unicode", "\xC3\x85").unicode(), "\"\xC3\x85\"");
    EXPECT_EQ(OneField("<string name=\"f\" charset=\"unicode\"/>", "c0 81 81 ff").unicode(), "R2");
    EXPECT_EQ(OneField("<string name=\"f\" charset=\"unicode\"/>", "c0 81 81 ff").ascii(), "R3");
}

TEST(FastConvert, NumbersBecomeTextInCanonicalForm) {
    EXPECT_EQ(constant("int32", "-5").ascii(), "\"-5\"");
    EXPECT_EQ(constant("uInt64", "18446744073709551615").unicode(), "\"18446744073709551615\"");
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 fe 00 53 db").ascii(), "\"107.15\"");
    EXPECT_EQ(OneField("<decimal name=\"f\"/>", "c0 81 82 85").ascii(), "\"500\"");
}

TEST(FastConvert, WhatIsNoScalarIsD1) {
    const OneField group("<group name=\"f\"><uInt32 name=\"a\"/></group>", "c0 81 81");
    const OneField sequence("<sequence name=\"f\"><uInt32 name=\"a\"/></sequence>", "c0 81 80");
    for (const OneField* one : {&group, &sequence}) {
        EXPECT_EQ(one->integer<int>(), "D1");
        EXPECT_EQ(one->decimal(), "D1");
        EXPECT_EQ(one->ascii(), "D1");
        EXPECT_EQ(one->unicode(), "D1");
        EXPECT_EQ(one->bytes(), "D1");
    }
}

TEST(FastConvert, AbsentFieldIsMissing) {
    const OneField absent("<uInt32 name=\"f\" presence=\"optional\"/>", "c0 81 80");
    EXPECT_EQ(absent.integer<int>(), "missing");
    EXPECT_EQ(absent.decimal(), "missing");
    EXPECT_EQ(absent.ascii(), "missing");
    EXPECT_EQ(absent.bytes(), "missing");
}

}  // namespace
}  // namespace tickpath::fast
