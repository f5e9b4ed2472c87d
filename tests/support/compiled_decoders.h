// Generates decoders for template files that are known only when a test or bench runs, compiles them with the
// compiler of this build and loads them. The program must export its symbols (export_dynamic): the code calls
// the library that it is linked with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decoders/fast/templates.h"
#include "tests/support/temporary_folder.h"

namespace tickpath::test {

class CompiledDecoders {
public:
    /// All in one translation unit. Throws with the compiler's words when it does not compile.
    explicit CompiledDecoders(const std::vector<std::shared_ptr<const fast::Templates>>& sets,
                              const std::string& optimization = "-O1");
    CompiledDecoders(const CompiledDecoders&) = delete;
    CompiledDecoders& operator=(const CompiledDecoders&) = delete;
    ~CompiledDecoders();

    /// The sets in their order, each decoded by its generated code. Valid while this lives.
    [[nodiscard]] const std::vector<std::shared_ptr<const fast::Templates>>& sets() const noexcept {
        return attached_;
    }
    /// Templates that were generated, and those that only the interpreter can run.
    [[nodiscard]] std::size_t generated_count() const noexcept { return generated_count_; }
    [[nodiscard]] std::size_t interpreted_count() const noexcept { return interpreted_count_; }

private:
    TemporaryFolder folder_;
    void* library_ = nullptr;
    std::vector<std::shared_ptr<const fast::Templates>> attached_;
    std::size_t generated_count_ = 0;
    std::size_t interpreted_count_ = 0;
};

}  // namespace tickpath::test
