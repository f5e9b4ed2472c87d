// Fuzzes the FIX session: whatever a peer sends and whenever, its stored numbers stay sound, what it writes
// are sound messages, and its own numbers rise by one. Input: one byte of options, then steps, each a byte
// with its kind, one with its length and the bytes: raw ones, or a body with '|' for SOH that is put into a
// right frame.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "dataplane/session/fix_session.h"
#include "decoders/fix/reader.h"
#include "tests/support/fix_text.h"

namespace {

using namespace tickpath;

void require(bool holds) {
    if (!holds) std::abort();
}

class Bench {
public:
    explicit Bench(std::uint8_t options) : session_(settings_of(options), numbers_) {
        numbers_.start(now_.utc_ns);
        session_.on_link_up(now_);
        take_output();
        if ((options & 2) != 0) receive(framed("35=A|34=1|98=0|108=5"));
    }

    void step(std::uint8_t kind, std::string_view bytes) {
        now_.monotonic_ns += (kind >> 2) * 50'000'000u;
        now_.utc_ns += (kind >> 2) * 50'000'000u;
        session_.on_timer(now_);
        take_output();
        switch (kind & 3) {
            case 0:
                return receive(std::string(bytes));
            case 1:
                return receive(framed(std::string(bytes)));
            case 2:  // one byte at a time
                for (const char byte : framed(std::string(bytes)))
                    receive(std::string(1, byte));
                return;
            default:
                session_.on_link_down(now_);
                session_.on_link_up(now_);
                take_output();
        }
    }

    void on_message(const fix::Message& message, bool) noexcept {
        require(!message.msg_type().empty() || message.fields().size() > 2);
        require(message.number(fix::tag::msg_seq_num) == numbers_.next_inbound());
    }

private:
    static session::SessionSettings settings_of(std::uint8_t options) {
        session::SessionSettings settings;
        settings.role = (options & 1) != 0 ? session::Role::initiator : session::Role::acceptor;
        settings.sender = "US";
        settings.target = "THEM";
        settings.reset_on_logon = (options & 4) != 0;
        settings.check_latency = (options & 8) != 0;
        settings.message_bytes_max = 2'048;
        settings.fields_max = 32;
        settings.output_bytes = 4'096;
        settings.queue_bytes = 1'024;
        settings.queue_messages_max = 8;
        return settings;
    }

    static std::string framed(std::string body) {
        const std::size_t number = body.find("|34=");
        const std::size_t end = number == std::string::npos ? std::string::npos : body.find('|', number + 1);
        body.insert(end == std::string::npos ? body.size() : end, "|49=THEM|52=20260105-10:00:00.000|56=US");
        return test::fix_message(body);
    }

    void receive(const std::string& bytes) {
        session_.on_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), now_, *this);
        take_output();
    }

    /// Each message is sound; those without PossDupFlag have rising numbers, a Logon with a reset starts them
    /// again.
    void take_output() {
        require(numbers_.is_intact());
        std::span<const char> output(reinterpret_cast<const char*>(session_.output().data()),
                                     session_.output().size());
        while (!output.empty()) {
            const fix::ScanResult found = output_reader_.read(output);
            require(found.scan == fix::Scan::message && !output_reader_.fault().is_present);
            const fix::Message& message = output_reader_.message();
            const std::uint64_t number = message.number(fix::tag::msg_seq_num).value_or(0);
            const bool starts_again = message.msg_type() == fix::msg_type::logon && number == 1;
            if (!message.flag(fix::tag::poss_dup_flag)) {
                require(starts_again || number == last_sent_ + 1 || number == 1);
                last_sent_ = number;
            }
            output = output.subspan(found.bytes);
        }
        session_.output_taken(session_.output().size());
    }

    core::SessionNumbers numbers_;
    session::Now now_{.monotonic_ns = 1'000'000'000, .utc_ns = 1'767'607'200'000'000'000};
    session::FixSession session_;
    fix::Reader output_reader_;
    std::uint64_t last_sent_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4'096) return 0;
    Bench bench(data[0]);
    for (std::size_t at = 1; at + 2 <= size;) {
        const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - 2);
        bench.step(data[at], {reinterpret_cast<const char*>(data) + at + 2, length});
        at += 2 + length;
    }
    return 0;
}
