#include "tests/support/compiled_decoders.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <dlfcn.h>

#include "decoders/fast/generator.h"
#include "tests/support/shared_data.h"

namespace tickpath::test {
namespace {

using AllDecoders = const fast::GeneratedDecoders* (*)(std::size_t);

std::string number(std::size_t i) {
    return std::to_string(i);
}

// One source that includes all others and hands their decoders out by number.
std::string joining_source(std::size_t count) {
    std::string out;
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        out += "#include \"set" + number(i) + ".cc\"\n";
        list += "    &set" + number(i) + "::decoders(),\n";
    }
    return out +
           "#include <cstddef>\nextern \"C\" const tickpath::fast::GeneratedDecoders* "
           "all_decoders(std::size_t i) {\n" +
           "    const tickpath::fast::GeneratedDecoders* const all[] = {\n" + list +
           "    };\n    return all[i];\n}\n";
}

void compile(const std::string& source, const std::string& library, const std::string& optimization) {
    const std::string log = library + ".log";
    const std::string command = std::string(TICKPATH_COMPILE) + ' ' + optimization + " -I" +
                                TICKPATH_SOURCE_ROOT + " -o " + library + ' ' + source + " 2>" + log;
    if (std::system(command.c_str()) != 0)  // NOLINT(cert-env33-c): the words are the build's own
        throw std::runtime_error("the generated decoders do not compile: " + command + '\n' + read_file(log));
}

}  // namespace

CompiledDecoders::CompiledDecoders(const std::vector<std::shared_ptr<const fast::Templates>>& sets,
                                   const std::string& optimization) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const std::string name = "set" + number(i);
        const fast::GeneratedSource generated =
            fast::generate(*sets[i], {.source_name = name, .header_name = name + ".h", .name_space = name});
        folder_.write(name + ".h", generated.header);
        folder_.write(name + ".cc", generated.source);
        generated_count_ += generated.generated_count;
        interpreted_count_ += generated.interpreted.size();
    }
    compile(folder_.write("all.cc", joining_source(sets.size())), folder_.file("all.so"), optimization);
    library_ = ::dlopen(folder_.file("all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    const auto decoders = reinterpret_cast<AllDecoders>(::dlsym(library_, "all_decoders"));
    for (std::size_t i = 0; i < sets.size(); ++i) {
        Diagnostics diagnostics;
        attached_.push_back(sets[i]->with(*decoders(i), diagnostics));
        if (attached_.back() == nullptr) throw std::runtime_error(diagnostics.format());
    }
}

CompiledDecoders::~CompiledDecoders() {
    attached_.clear();
    if (library_ != nullptr) ::dlclose(library_);
}

}  // namespace tickpath::test
