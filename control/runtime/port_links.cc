#include "control/runtime/port_links.h"

#include <string_view>

namespace tickpath::runtime {
namespace {

using port::InterfaceState;

std::string news_of(std::string_view port, const std::string& interface, InterfaceState state) {
    std::string who = "port " + std::string(port) + ": interface " + interface;
    const std::string books = "; books that only this port feeds are invalid";
    switch (state) {
        case InterfaceState::up:
            return who + " is back; books become valid with their next snapshots";
        case InterfaceState::down:
            return who + " is down" + books + ": ip link set " + interface + " up";
        case InterfaceState::no_carrier:
            return who + " has no carrier" + books + ": look at its cable and at the other end";
        case InterfaceState::gone:
            return who + " is gone" + books +
                   ": this run receives nothing from it any more; make it again and restart the run";
        case InterfaceState::replaced:
            return who + " is there again, but this run received from the one that is gone" + books +
                   ": restart the run";
    }
    return who;
}

}  // namespace

void PortLinks::watch(std::uint16_t port, const port::PortFacts& facts, core::CounterPage& page) {
    links_.push_back({.port = port,
                      .name = facts.name,
                      .interface = facts.interface,
                      .watch = port::InterfaceWatch(facts.interface),
                      .losses = page.add(facts.name, "link_lost")});
}

std::vector<std::string> PortLinks::look(const std::function<bool(core::Command)>& tell) {
    std::vector<std::string> news;
    for (Link& link : links_) {
        const InterfaceState state = link.watch.look();
        const bool is_lost = state != InterfaceState::up;
        if (is_lost && link.said == InterfaceState::up) link.losses.add();
        if (is_lost != link.is_told_as_lost &&
            tell({.kind = is_lost ? core::CommandKind::link_lost : core::CommandKind::link_back,
                  .argument = link.port}))
            link.is_told_as_lost = is_lost;
        if (state == link.said) continue;
        link.said = state;
        news.push_back(news_of(link.name, link.interface, state));
    }
    return news;
}

}  // namespace tickpath::runtime
