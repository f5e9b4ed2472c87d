// A set of latencies, all kept: exact percentiles, and the file that plotters of HdrHistogram read. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tickpath::latency {

class Latencies {
public:
    /// One line of a percentile distribution.
    struct Step {
        double percentile = 0;  ///< 0 to 100
        std::int64_t ns = 0;
        std::uint64_t count = 0;  ///< of latencies that are not longer
    };

    Latencies() = default;
    explicit Latencies(std::vector<std::int64_t> ns);

    [[nodiscard]] std::uint64_t count() const noexcept { return ns_.size(); }
    // 0 when there are none.
    [[nodiscard]] std::int64_t min() const noexcept { return ns_.empty() ? 0 : ns_.front(); }
    [[nodiscard]] std::int64_t max() const noexcept { return ns_.empty() ? 0 : ns_.back(); }
    [[nodiscard]] double mean() const noexcept;
    /// The shortest latency that at least `percent` of all do not exceed (nearest rank); 0 when there are
    /// none.
    [[nodiscard]] std::int64_t percentile(double percent) const noexcept;

    /// From 0 to 100 percent, five steps in each half of what is left, as HdrHistogram walks.
    [[nodiscard]] std::vector<Step> distribution() const;

    /// The distribution as HdrHistogram prints it ("hgrm"), values in nanoseconds.
    [[nodiscard]] std::string to_hgrm() const;

private:
    std::vector<std::int64_t> ns_;  // ascending
};

}  // namespace tickpath::latency
