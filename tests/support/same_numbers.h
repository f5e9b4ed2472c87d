// Brings decimals of which the template fixes a part into one form: such a decimal is sent with the exponent
// or mantissa that the template says, and what comes back is the same number in another pair.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/fast_values.h"

namespace tickpath::test {

inline void normalise_constant_parts(const fast::Templates& templates, const std::vector<fast::Field>& fields,
                                     Json& values) {
    for (const fast::Field& field : fields) {
        const auto found = values.find(field.name);
        if (found == values.end()) continue;
        const bool has_constant_part =
            field.individual_operators &&
            (field.exponent_op == fast::Operator::constant || field.mantissa_op == fast::Operator::constant);
        if (has_constant_part) {
            const Decimal number =
                normalised({(*found)["m"].get<std::int64_t>(), (*found)["e"].get<std::int32_t>()});
            *found = {{"m", number.mantissa}, {"e", number.exponent}};
        } else if (field.ref.type == fast::FieldType::group) {
            normalise_constant_parts(templates, field.fields, *found);
        } else if (field.ref.type == fast::FieldType::sequence) {
            for (Json& element : *found)
                normalise_constant_parts(templates, field.fields, element);
        } else if (field.ref.type == fast::FieldType::dynamic) {
            const auto inner =
                std::find_if(templates.all().begin(), templates.all().end(), [&](const fast::Template& tmpl) {
                    return tmpl.label() == (*found)["template"].get<std::string>();
                });
            normalise_constant_parts(templates, inner->fields(), (*found)["fields"]);
        }
    }
}

}  // namespace tickpath::test
