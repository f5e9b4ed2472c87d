// Template files and datagrams made up from a seed: every type, operator, presence, reference and dictionary,
// in combinations nobody would write. For comparing the FAST decoder with its plain twin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tickpath::test {

class RandomTemplates {
public:
    explicit RandomTemplates(std::uint64_t seed) : random_(seed) {}

    /// A whole template file; its templates have the ids 1, 2 and 3, and 3 may reset.
    [[nodiscard]] std::string xml();

    /// Bytes that often begin like messages of these templates and are seldom right to their end.
    [[nodiscard]] std::vector<std::byte> datagram();

    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

private:
    [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }
    [[nodiscard]] std::string instructions(unsigned depth, unsigned count);
    [[nodiscard]] std::string scalar();
    [[nodiscard]] std::string decimal_parts(const std::string& head);
    [[nodiscard]] std::string operator_xml(const std::string& type, bool is_optional);
    [[nodiscard]] std::string initial(const std::string& type);
    [[nodiscard]] std::string name() { return "f" + std::to_string(++names_); }
    void message(std::vector<std::byte>& out);

    std::mt19937_64 random_;
    unsigned names_ = 0;
    bool is_wide_ = false;
};

}  // namespace tickpath::test
