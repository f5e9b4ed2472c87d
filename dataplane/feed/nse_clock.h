// Which messages of an NSE channel are of the present, by the times they were sent at. Hot: once per message.
#pragma once

#include <cstdint>

#include "dataplane/feed/nse_numbers.h"

namespace tickpath::feed {

/// Follows the newest time that the channel's sources say, and tells what lags too far behind it or runs
/// ahead of it. One damaged time, or a source that hangs, must not decide what the present is: another time
/// is believed only when nothing tells of the present one any more, or when messages enough agree on a later
/// one.
class NseClock {
public:
    enum class Verdict : std::uint8_t {
        present,
        behind,       ///< the market of a while ago: an old book is not to replace a newer one
        ahead,        ///< a time that is yet to come
        set_back,     ///< the present from here on: what was known is of another clock
        set_forward,  ///< likewise, a later one
    };

    /// `silence_ns`: how long nothing may come from a living feed, hence how late a message can be.
    explicit NseClock(std::uint64_t silence_ns) noexcept
        : silence_ns_(silence_ns), behind_max_(units_of(silence_ns)) {}

    /// `arrival_ns` is the receiver's clock.
    [[nodiscard]] Verdict judge(NseTime time, std::uint64_t arrival_ns) noexcept {
        if (time.earliest == 0) [[unlikely]]
            return Verdict::present;  // it says none
        if (time.earliest - newest_ <= ahead_max) [[likely]] {
            set_newest(time, arrival_ns);
            return confirmed(arrival_ns);
        }
        if (time.latest <= newest_ && newest_ - time.latest <= (is_confirmed_ ? behind_max_ : ahead_max))
            return confirmed(arrival_ns);
        return judge_unusual(time, arrival_ns);
    }

    /// Messages that agree on a later time until it is believed, or that lag behind a first time which none
    /// has confirmed: what a few datagrams bring.
    static constexpr unsigned agreeing_enough = 4;

private:
    /// In units of TimeStamp2, one second: machines of one exchange agree better, LogTime counts seconds.
    static constexpr std::uint64_t ahead_max = 65'536;

    static constexpr std::uint64_t units_of(std::uint64_t ns) noexcept {
        return ns / 1'000'000'000 * 65'536 + ns % 1'000'000'000 * 65'536 / 1'000'000'000;
    }
    static constexpr std::uint64_t since(std::uint64_t then_ns, std::uint64_t now_ns) noexcept {
        return now_ns > then_ns ? now_ns - then_ns : 0;
    }
    /// `time` may follow `last`, which came at `last_at_ns`.
    static constexpr bool is_near(NseTime time, std::uint64_t last, std::uint64_t last_at_ns,
                                  std::uint64_t arrival_ns) noexcept {
        return time.latest + ahead_max >= last &&
               time.earliest <= last + ahead_max + units_of(since(last_at_ns, arrival_ns));
    }

    void set_newest(NseTime time, std::uint64_t arrival_ns) noexcept {
        newest_ = time.earliest;
        newest_at_ns_ = arrival_ns;
    }
    Verdict confirmed(std::uint64_t arrival_ns) noexcept {
        confirmed_at_ns_ = arrival_ns;
        is_confirmed_ = true;
        doubts_ = 0;
        return Verdict::present;
    }

    [[gnu::cold, gnu::noinline]] Verdict judge_unusual(NseTime time, std::uint64_t arrival_ns) noexcept {
        if (newest_ == 0) {
            set_newest(time, arrival_ns);
            confirmed_at_ns_ = arrival_ns;
            return Verdict::present;
        }
        if (time.earliest <= newest_ && newest_ <= time.latest) return confirmed(arrival_ns);
        const bool is_outdated = since(confirmed_at_ns_, arrival_ns) > silence_ns_;
        if (time.latest < newest_) {
            if (!is_confirmed_) ++doubts_;
            return is_outdated || doubts_ >= agreeing_enough ? believe(time, arrival_ns, Verdict::set_back)
                                                             : Verdict::behind;
        }
        if (is_near(time, newest_, newest_at_ns_, arrival_ns)) {
            set_newest(time, arrival_ns);
            return confirmed(arrival_ns);
        }
        if (agrees(time, arrival_ns) || is_outdated) return believe(time, arrival_ns, Verdict::set_forward);
        return Verdict::ahead;
    }
    /// One message said many times over agrees with nothing but itself.
    bool agrees(NseTime time, std::uint64_t arrival_ns) noexcept {
        if (time.earliest == later_) return false;
        agreeing_ = is_near(time, later_, later_at_ns_, arrival_ns) ? agreeing_ + 1 : 1;
        later_ = time.earliest;
        later_at_ns_ = arrival_ns;
        return agreeing_ >= agreeing_enough;
    }
    Verdict believe(NseTime time, std::uint64_t arrival_ns, Verdict verdict) noexcept {
        set_newest(time, arrival_ns);
        confirmed_at_ns_ = arrival_ns;
        is_confirmed_ = agreeing_ >= agreeing_enough;
        agreeing_ = doubts_ = 0;
        return verdict;
    }

    std::uint64_t silence_ns_;
    std::uint64_t behind_max_;           ///< the same in units of TimeStamp2
    std::uint64_t newest_ = 0;           ///< 0: none was said
    std::uint64_t newest_at_ns_ = 0;     ///< arrival of the message that said it
    std::uint64_t confirmed_at_ns_ = 0;  ///< arrival of the newest message of the present
    std::uint64_t later_ = 0;            ///< what messages that run ahead said last
    std::uint64_t later_at_ns_ = 0;
    unsigned agreeing_ = 0;      ///< such messages that follow each other; those of the present lie between
    unsigned doubts_ = 0;        ///< messages behind newest_ since it was said, while none has confirmed it
    bool is_confirmed_ = false;  ///< more than one message has said so
};

}  // namespace tickpath::feed
