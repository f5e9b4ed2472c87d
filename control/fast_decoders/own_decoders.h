// The generated decoders of this project's own templates (templates/fast). Cold.
#pragma once

#include <memory>

#include "decoders/fast/templates.h"

namespace tickpath::fast_decoders {

/// The same templates with the generated decoders that this build has for them; as they are when it has none.
[[nodiscard]] std::shared_ptr<const fast::Templates> with_own_decoders(
    std::shared_ptr<const fast::Templates> templates);

}  // namespace tickpath::fast_decoders
