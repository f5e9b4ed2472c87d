#include "control/runtime/launch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>
#include <utility>

#include "control/journal/tick_writer.h"
#include "control/runtime/interrupt.h"
#include "control/runtime/output_files.h"
#include "control/runtime/port_links.h"
#include "control/runtime/port_steering.h"
#include "control/runtime/preparation.h"
#include "control/runtime/run_report.h"
#include "control/runtime/strategies.h"
#include "dataplane/core/resident_memory.h"
#include "dataplane/port/membership.h"

namespace tickpath::runtime {
namespace {

using std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(5);
// For the clock at NTP's most, 500 ppm, half a millisecond.
constexpr auto closer_look_interval = std::chrono::seconds(1);
constexpr auto logon_wait = std::chrono::seconds(10);  // a replay without its counterparty ends here
constexpr auto settle_wait = std::chrono::seconds(2);  // for the answers to the last orders of a replay
constexpr std::size_t journal_slots = 1u << 15;

void say(std::string_view text) {
    std::cerr << "tickpath: " << text << '\n';
}

void say(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics.all())
        say(diagnostic.format());
}

/// One run from its configuration to its report. Members are made in the order of their declaration and go in
/// the reverse one: threads before rings, rings before ports.
class Run {
public:
    Run(const RunOptions& options, std::span<const StrategyEntry> strategies,
        void (*on_report)(const stats::Snapshot&))
        : options_(options), strategies_(strategies), on_report_(on_report) {}

    RunResult execute() {
        for (const auto step :
             {&Run::read_configuration, &Run::open_counters, &Run::open_session, &Run::open_ports,
              &Run::steer, &Run::let_groups_in, &Run::join_groups, &Run::build, &Run::open_journal}) {
            const RunEnd end = (this->*step)();
            say(diagnostics_);
            diagnostics_ = {};
            if (end != RunEnd::ok) return {end, std::nullopt};
            if (Interrupts::wants_stop()) {
                say("stopped by a signal before anything was received");
                return {RunEnd::interrupted, std::nullopt};
            }
        }
        return work();
    }

private:
    RunEnd read_configuration() {
        const Verdict verdict = prepare(options_.config, strategies_, prepared_, diagnostics_);
        const bool may_write = may_write_outputs(options_.ticks, prepared_, diagnostics_);
        if (verdict == Verdict::wrong_configuration || !may_write) return RunEnd::configuration;
        if (verdict == Verdict::ports_not_there) return RunEnd::unreachable;
        config_.trade.settings.may_trade.armed |= options_.arm;
        parts_.channels = prepared_.channels;
        return RunEnd::ok;
    }

    RunEnd open_counters() {
        if (config_.report.counters.empty()) return RunEnd::ok;
        const std::string path = config_.report.counters.string();
        auto file = core::CounterPage::file(path, counters_max);
        if (file) {
            counters_ = std::move(*file);
            return RunEnd::ok;
        }
        const std::string file_name = config_.file.string();
        if (file.error() == Errc::bad_syntax) {
            diagnostics_.error(file_name, config_.report.line,
                               path + " is no counter file and is left as it is; name another, or remove it");
            return RunEnd::configuration;
        }
        diagnostics_.error(file_name, config_.report.line,
                           "cannot make the counter file " + path + ": " +
                               (errno == EWOULDBLOCK ? "it is in use by another process; each needs its own"
                                                     : std::strerror(errno)));
        return RunEnd::failed;
    }

    RunEnd open_session() {
        if (config_.trade.order_link != config::OrderLinkKind::kernel) return RunEnd::ok;
        order_session_ = open_order_session(config_, counters_, diagnostics_);
        return order_session_ ? RunEnd::ok : RunEnd::failed;
    }

    RunEnd open_ports() {
        environment_ = port::Environment::open(config_.ports, std::move(*prepared_.ports), diagnostics_);
        if (!environment_) return RunEnd::unreachable;
        for (std::size_t p = 0; p < environment_->port_count(); ++p) {
            port::DpdkPort& port = environment_->port(p);
            for (std::uint16_t queue = 0; queue < port.queue_count(); ++queue)
                port.count_into(counters_, queue, config_.ports[p].name + ".q" + std::to_string(queue));
            parts_.ports.push_back(&port);
            parts_.port_macs.push_back(port.mac());
            is_replay_ |= port.facts().replay_frames != 0;
            say("port " + config_.ports[p].name + ": " + to_text(port.facts().capabilities) +
                "; receive rings of " + std::to_string(port.facts().descriptors));
        }
        return RunEnd::ok;
    }

    RunEnd steer() {
        const std::string file = config_.file.string();
        const auto request = steering_request(parts_, prepared_.checked.plan);
        const pipeline::Steering steering = pipeline::make_steering(request, file, diagnostics_);
        refuse_hand_overs(steering, request, file, diagnostics_);
        if (diagnostics_.has_errors()) return RunEnd::configuration;
        steer_ports(steering, parts_, file, diagnostics_);
        return diagnostics_.has_errors() ? RunEnd::unreachable : RunEnd::ok;
    }

    [[nodiscard]] std::vector<net::MulticastGroup> groups_at(std::size_t port) const {
        std::vector<net::MulticastGroup> groups;
        for (const feed::ChannelPlan& channel : parts_.channels)
            for (const feed::LinePlan& line : channel.lines)
                if (line.port == port) groups.push_back(line.line.group);
        return groups;
    }

    RunEnd let_groups_in() {
        for (std::size_t p = 0; p < parts_.ports.size(); ++p) {
            const port::FilterChoice& choice = filters_.emplace_back(parts_.ports[p]->let_in(groups_at(p)));
            const std::string port = "port " + config_.ports[p].name + ": ";
            if (!choice.error.empty())
                diagnostics_.error(config_.ports[p].config_file, config_.ports[p].config_line,
                                   port + choice.error, Errc::io);
            else
                say(port + to_text(choice));
        }
        return diagnostics_.has_errors() ? RunEnd::unreachable : RunEnd::ok;
    }

    RunEnd join_groups() {
        for (std::size_t p = 0; p < parts_.ports.size(); ++p) {
            const std::string& interface = parts_.ports[p]->facts().interface;
            if (interface.empty()) continue;
            memberships_.push_back(
                port::Membership::join(interface, groups_at(p), config_.file.string(), diagnostics_));
            links_.watch(static_cast<std::uint16_t>(p), parts_.ports[p]->facts(), counters_);
        }
        return diagnostics_.has_errors() ? RunEnd::unreachable : RunEnd::ok;
    }

    RunEnd build() {
        describe_parts();
        if (config_.trade.order_link == config::OrderLinkKind::none) {
            trading_ = watch_only(parts_);
            return RunEnd::ok;
        }
        trading_ = prepared_.strategy->join({.config = config_,
                                             .pipeline = parts_,
                                             .order_template = prepared_.checked.order_template,
                                             .order_session = order_session_.get(),
                                             .kill = kill_,
                                             .commands = commands_,
                                             .utc = utc_},
                                            diagnostics_);
        return diagnostics_.has_errors() ? RunEnd::configuration : RunEnd::ok;
    }

    void describe_parts() {
        const std::size_t receivers = prepared_.checked.plan.receivers.size();
        instruments_ = prepared_.checked.instruments;
        parts_.known_count = static_cast<std::uint32_t>(instruments_.size());
        parts_.learned_max = config_.instruments.learned_max;
        instruments_.resize(instruments_.size() + receivers * parts_.learned_max);
        parts_.instruments = instruments_;
        parts_.plan = prepared_.checked.plan;
        parts_.feed_limits = config_.feed_limits;
        parts_.counters = &counters_;
        parts_.idle = config_.workers.idle.value_or(
            core::default_idle_policy(receivers + (prepared_.checked.plan.split ? 1 : 0)));
        parts_.tick_ring_slots = config_.workers.tick_ring_slots;
        parts_.by_entry = config_.trade.settings.decide == trade::DecideAt::entry;
        parts_.enter_thread = []() noexcept { (void)port::Environment::register_this_thread(); };
        parts_.leave_thread = []() noexcept { port::Environment::unregister_this_thread(); };
        if (options_.ticks.empty()) return;
        for (std::size_t r = 0; r < receivers; ++r) {
            journals_.push_back(std::make_unique<model::TickRing>(journal_slots));
            parts_.journals.push_back(journals_.back().get());
        }
    }

    RunEnd open_journal() {
        if (options_.ticks.empty()) return RunEnd::ok;
        journal::TickNames names;
        for (const feed::ChannelPlan& channel : parts_.channels)
            names.channels.push_back(channel.name);
        names.instruments = parts_.instruments;
        auto writer = journal::TickWriter::open(options_.ticks.string(), parts_.journals, std::move(names));
        if (!writer) {
            diagnostics_.error(
                "", 0, "cannot write ticks to " + options_.ticks.string() + ": " + std::strerror(errno));
            return RunEnd::failed;
        }
        tick_writer_ = std::move(*writer);
        tick_writer_->start();
        return RunEnd::ok;
    }

    RunResult work() {
        pipeline::Pipeline& pipeline = trading_->pipeline();
        pipeline.start();
        say_residency(core::make_memory_resident());
        began_ = steady_clock::now();
        RunEnd end = is_replay_ ? wait_for_logon(pipeline) : RunEnd::ok;
        if (end == RunEnd::ok) {
            pipeline.receive();
            say("receiving");
            end = wait_for_end(pipeline);
        }
        pipeline.stop();
        say_status(pipeline);
        say_fragments();
        if (end == RunEnd::unreachable) say_unreachable(pipeline);
        if (tick_writer_ && !tick_writer_->stop()) {
            say("the tick file is incomplete: the disk refused a write");
            end = RunEnd::failed;
        }
        if (end == RunEnd::ok && !are_captures_whole()) end = RunEnd::bad_data;
        return {end, take_snapshot(config_, parts_, filters_, pipeline, seconds_run())};
    }

    [[nodiscard]] bool are_captures_whole() const {
        return counters_.sum("rx_replay_missing") == 0 &&
               std::ranges::none_of(parts_.ports,
                                    [](const port::DpdkPort* port) { return port->facts().is_replay_cut; });
    }

    static void say_residency(core::Residency residency) {
        if (residency == core::Residency::populated)
            say("memory is there but not locked (RLIMIT_MEMLOCK): a machine short of memory may take some "
                "away");
        if (residency == core::Residency::unknown)
            say("memory is not locked (RLIMIT_MEMLOCK), and this kernel cannot populate it: page faults will "
                "come");
    }

    RunEnd wait_for_logon(pipeline::Pipeline& pipeline) {
        while (!pipeline.is_ready()) {
            if (Interrupts::wants_stop()) return RunEnd::interrupted;
            if (steady_clock::now() - began_ > logon_wait) return RunEnd::unreachable;
            look_around(pipeline);
        }
        return RunEnd::ok;
    }

    RunEnd wait_for_end(pipeline::Pipeline& pipeline) {
        while (!pipeline.is_drained()) {
            if (Interrupts::wants_stop()) return RunEnd::interrupted;
            if (options_.seconds && seconds_run() >= *options_.seconds) return RunEnd::ok;
            look_around(pipeline);
        }
        const auto drained = steady_clock::now();
        while (!pipeline.is_settled() && steady_clock::now() - drained < settle_wait) {
            if (Interrupts::wants_stop()) return RunEnd::interrupted;
            look_around(pipeline);
        }
        return RunEnd::ok;
    }

    void look_around(pipeline::Pipeline& pipeline) {
        say_status(pipeline);
        say_fragments();
        if (Interrupts::wants_report())
            on_report_(take_snapshot(config_, parts_, filters_, pipeline, seconds_run()));
        if (kill_.is_engaged() && !kill_was_said_) {
            say("kill switch thrown (" + std::string(trade::name(kill_.reason())) +
                "): no more orders in this run");
            kill_was_said_ = true;
        }
        look_each_second(pipeline);
        std::this_thread::sleep_for(look_interval);
    }

    void look_each_second(pipeline::Pipeline& pipeline) {
        const auto now = steady_clock::now();
        if (now - looked_closer_ < closer_look_interval) return;
        looked_closer_ = now;
        // The trade thread's stamps follow the system's clock, which NTP slews and may step.
        utc_.store(core::read_utc());
        look_for_store();
        for (const std::string& news :
             links_.look([&](core::Command command) { return pipeline.tell_receivers(command); }))
            say(news);
    }

    void look_for_store() {
        if (!order_session_ || kill_.is_engaged() || order_session_->store->is_there()) return;
        say(order_session_->store->path() +
            ": was removed or replaced while in use: numbers sent from now on would be lost with this "
            "process");
        kill_.engage(trade::KillReason::store);
    }

    // Once (spec/dataplane.md §4, duty 3): whoever sends fragments sends many.
    void say_fragments() {
        if (fragments_were_said_ || counters_.sum("fragment") == 0) return;
        say("IP fragments arrive and are dropped (counted as fragment): exchange feeds do not fragment, so "
            "look at "
            "who sends them and at the MTU on the way");
        fragments_were_said_ = true;
    }

    void say_status(pipeline::Pipeline& pipeline) {
        if (!order_session_) return;
        const pipeline::OrderStatus now = pipeline.order_status();
        if (now.is_like(said_)) return;
        if (now.hides_an_end_since(said_))
            say("order session ended: " + std::string(now.last_end_why.view()));
        said_ = now;
        std::string text = "order session " + std::string(session::name(now.session)) + ", link " +
                           std::string(model::name(now.link));
        if (now.why.chars != 0) text += ": " + std::string(now.why.view());
        say(text);
    }

    void say_unreachable(pipeline::Pipeline&) const {
        const config::OrderSessionSettings& wanted = *config_.trade.session;
        say(wanted.host + ":" + std::to_string(wanted.port) + ": no logon within " +
            std::to_string(logon_wait.count()) +
            " s, so nothing was replayed; start the counterparty (tickpath exchange), or set "
            "order_link=\"shadow\"");
    }

    [[nodiscard]] double seconds_run() const {
        return std::chrono::duration<double>(steady_clock::now() - began_).count();
    }

    static constexpr std::size_t counters_max = 4096;

    RunOptions options_;
    std::span<const StrategyEntry> strategies_;
    void (*on_report_)(const stats::Snapshot&);
    Diagnostics diagnostics_;
    Preparation prepared_;
    config::RunConfig& config_ = prepared_.config;
    core::CounterPage counters_ = core::CounterPage::anonymous(counters_max);
    std::vector<model::Instrument> instruments_;
    Parts parts_{core::CycleClock::calibrate()};
    trade::KillSwitch kill_;
    KillOnSignal kill_on_signal_{kill_};
    core::CommandRing commands_;
    core::Seqlock<core::UtcReading> utc_{core::read_utc()};
    steady_clock::time_point looked_closer_ = steady_clock::now();
    std::unique_ptr<OrderSession> order_session_;
    std::unique_ptr<port::Environment> environment_;
    std::vector<port::FilterChoice> filters_;
    std::vector<port::Membership> memberships_;
    PortLinks links_;
    std::vector<std::unique_ptr<model::TickRing>> journals_;
    std::unique_ptr<journal::TickWriter> tick_writer_;
    std::unique_ptr<Trading> trading_;
    steady_clock::time_point began_ = steady_clock::now();
    pipeline::OrderStatus said_;
    bool is_replay_ = false;
    bool kill_was_said_ = false;
    bool fragments_were_said_ = false;
};

}  // namespace

RunResult launch(const RunOptions& options, std::span<const StrategyEntry> strategies,
                 void (*on_report)(const stats::Snapshot&)) {
    return Run(options, strategies, on_report).execute();
}

}  // namespace tickpath::runtime
