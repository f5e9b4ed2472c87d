// The vectors of shared data and how one of their rows is decoded, for both tiers of the decoder.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "tests/support/fast_values.h"
#include "tests/support/hex.h"
#include "tests/support/shared_data.h"

namespace tickpath::test {

[[nodiscard]] inline Json read_vectors(const char* name) {
    return Json::parse(read_file(shared_data() / "fast" / "vectors" / name));
}

// One row: the message as JSON with "reports", or {"error": code}. The runner goes on behind an error with
// the dictionaries as they are (spec/fast.md §15).
[[nodiscard]] inline Json decode_row(fast::Decoder& decoder, const Json& row) {
    const std::vector<std::byte> bytes = from_hex(row["hex"].get<std::string>());
    decoder.begin(bytes, 0);
    if (!decoder.next()) {
        const std::string code(tickpath::code(decoder.error()));
        decoder.lift_poison();
        return {{"error", code}};
    }
    EXPECT_EQ(decoder.message().end(), bytes.size()) << "bytes left over in " << row["hex"];
    Json decoded = fast_message(decoder.message());
    for (const fast::Report report :
         {fast::Report::r2, fast::Report::r6, fast::Report::r7, fast::Report::r8, fast::Report::r9})
        if (decoder.message().reported(report))
            decoded["reports"].push_back(std::string(code(fast::errc_of(report))));
    return decoded;
}

// vectors.json has one scalar field `f` in most cases, and its value stands alone.
[[nodiscard]] inline Json expected_fields(const Json& expect, bool is_scalar) {
    if (!is_scalar) return expect;
    return expect.is_null() ? Json::object() : Json{{"f", expect}};
}

/// The case's template file: vectors.json holds the body of one template, extra_vectors.json whole files.
[[nodiscard]] inline std::string templates_of(const Json& one_case) {
    if (one_case.contains("templates_xml")) return one_case["templates_xml"];
    return "<templates><template name=\"t\" id=\"1\">" + one_case["fields_xml"].get<std::string>() +
           "</template></templates>";
}

}  // namespace tickpath::test
