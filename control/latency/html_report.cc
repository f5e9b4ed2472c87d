#include "control/latency/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "control/latency/report.h"

namespace tickpath::latency {
namespace {

constexpr std::string_view style =
    "body{font:15px system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse}td,th{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}figure{margin:1.5rem 0}figcaption{color:#555}"
    "svg text{font:12px system-ui,sans-serif;fill:#444}.grid{stroke:#e3e3e3}.som{stroke:#0b62a4}"
    ".eot{stroke:#c05a00}.line{fill:none;stroke-width:2}.bar{fill:#7a8b99}";

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

/// 1500 is "1.5 µs".
std::string time_text(double ns) {
    if (ns < 1e3) return fmt::format("{:g} ns", ns);
    if (ns < 1e6) return fmt::format("{:g} µs", ns / 1e3);
    if (ns < 1e9) return fmt::format("{:g} ms", ns / 1e6);
    return fmt::format("{:g} s", ns / 1e9);
}

/// Both axes are logarithmic: to the right each decade is a nine more of the percentile, upwards time.
class PercentilePlot {
public:
    explicit PercentilePlot(const Latencies& all) {
        nines_ = std::max(
            1.0, std::ceil(std::log10(static_cast<double>(std::max<std::uint64_t>(2, all.count())))));
        low_ = std::floor(std::log10(static_cast<double>(std::max<std::int64_t>(1, all.min()))));
        high_ = std::max(low_ + 1,
                         std::ceil(std::log10(static_cast<double>(std::max<std::int64_t>(1, all.max())))));
    }

    [[nodiscard]] std::string grid() const {
        std::string svg;
        for (int nine = 0; nine <= static_cast<int>(nines_); ++nine) {
            const double at = left + (width - left) * nine / nines_;
            svg += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
                "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.{5}f} %</text>",
                at, top, bottom, bottom + 18, 100.0 - 100.0 * std::pow(10.0, -static_cast<double>(nine)),
                std::max(0, nine - 2));
        }
        for (int decade = static_cast<int>(low_); decade <= static_cast<int>(high_); ++decade)
            svg += fmt::format(
                "<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>"
                "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
                left, y_of(decade), width, left - 6, y_of(decade) + 4, time_text(std::pow(10.0, decade)));
        return svg;
    }

    [[nodiscard]] std::string line(const Latencies& all, std::string_view css) const {
        std::string points;
        for (const Latencies::Step& step : all.distribution()) {
            // 100 percent lies nowhere on such an axis; it is drawn at its end.
            const double nines =
                step.percentile >= 100 ? nines_ : std::min(nines_, -std::log10(1 - step.percentile / 100));
            const double decade = std::log10(static_cast<double>(std::max<std::int64_t>(1, step.ns)));
            points += fmt::format("{:.1f},{:.1f} ", left + (width - left) * nines / nines_,
                                  y_of(std::max(low_, decade)));
        }
        return fmt::format("<polyline class=\"line {}\" points=\"{}\"/>", css, points);
    }

    static constexpr int width = 900, height = 420;

private:
    static constexpr int left = 80, top = 16, bottom = 380;

    [[nodiscard]] double y_of(double decade) const {
        return bottom - (bottom - top) * (decade - low_) / (high_ - low_);
    }

    double nines_, low_, high_;
};

std::string plot(const Study& study) {
    const PercentilePlot plot(study.som_sof);
    std::string svg =
        fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"latency by percentile\">",
                    PercentilePlot::width + 40, PercentilePlot::height);
    svg += plot.grid() + plot.line(study.som_sof, "som");
    if (study.eot_sof) svg += plot.line(*study.eot_sof, "eot");
    return svg + "</svg><figcaption>Latency by percentile: SOM-SOF blue" +
           (study.eot_sof ? ", EOT-SOF orange" : "") + "</figcaption></figure>";
}

std::string stalls(const StallBaseline& baseline) {
    constexpr int row_height = 24, label_width = 130, bar_width_max = 560;
    const auto length = [](std::uint64_t count) { return std::log10(static_cast<double>(count) + 1); };
    double longest = 1;
    for (const std::uint64_t count : baseline.gaps_by_range)
        longest = std::max(longest, length(count));
    std::string svg =
        fmt::format("<figure><svg viewBox=\"0 0 900 {}\" role=\"img\" aria-label=\"stalls of this machine\">",
                    row_height * static_cast<int>(StallBaseline::range_count) + 8);
    for (std::size_t i = 0; i < StallBaseline::range_count; ++i) {
        const int y = row_height * static_cast<int>(i) + 4;
        const double bar = bar_width_max * length(baseline.gaps_by_range[i]) / longest;
        svg += fmt::format(
            "<text x=\"0\" y=\"{0}\">{1}</text><rect class=\"bar\" x=\"{2}\" y=\"{3}\" width=\"{4:.1f}\" "
            "height=\"16\"/><text x=\"{5:.1f}\" y=\"{0}\">{6}</text>",
            y + 13, StallBaseline::range_names[i], label_width, y, bar, label_width + bar + 8,
            baseline.gaps_by_range[i]);
    }
    return svg +
           fmt::format(
               "</svg><figcaption>Gaps in a loop that only looked at the clock for {} ms on this machine, "
               "longest {}; bars are logarithmic</figcaption></figure>",
               baseline.duration_ns / 1'000'000, time_text(static_cast<double>(baseline.gaps_ns.max())));
}

std::string row(std::string_view name, const Latencies& ns) {
    return fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        name, ns.count(), ns.min(), ns.percentile(50), ns.percentile(90), ns.percentile(99),
        ns.percentile(99.9), ns.max());
}

std::string facts(const Study& study) {
    const Matching& matching = study.matching;
    std::string html = fmt::format(
        "<p>Orders {}, matched {} by {}, without trigger {}, ambiguous {}, before trigger {}, unreadable {}. "
        "Datagrams of the feed {}, with an order {}.</p><ul>",
        study.orders, matching.pairs.size(), name(study.by), matching.without_trigger, matching.ambiguous,
        matching.before_trigger, matching.without_key, study.datagrams(), matching.triggers_matched);
    for (const CaptureFacts& capture : study.captures)
        html += fmt::format("<li>{}: {} frames, clock {}</li>", escaped(capture.file), capture.frames.frames,
                            clock_name(capture));
    for (const std::string& remark : remarks(study))
        html += "<li>" + escaped(remark) + "</li>";
    return html + "</ul>";
}

}  // namespace

std::string to_html(const Study& study, const StallBaseline* baseline) {
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tick to trade</title>"
        "<style>{}</style></head>\n<body><h1>Tick to trade</h1>\n",
        style);
    html +=
        "<table><tr><th>ns</th><th>count</th><th>min</th><th>p50</th><th>p90</th><th>p99</th><th>p99.9</th>"
        "<th>max</th></tr>" +
        row("SOM-SOF", study.som_sof);
    if (study.eot_sof) html += row("EOT-SOF", *study.eot_sof);
    html +=
        "</table>\n<p>SOM-SOF: start of the trigger's frame to start of the order's frame, by their stamps.";
    if (study.eot_sof)
        html += fmt::format(" EOT-SOF: from the end of the trigger's frame at {} Gbit/s.", *study.link_gbps);
    html += "</p>\n" + plot(study) + '\n';
    if (baseline != nullptr) html += stalls(*baseline) + '\n';
    return html + facts(study) + "\n</body></html>\n";
}

}  // namespace tickpath::latency
