#include "control/stats/latency_report.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tickpath::stats {
namespace {

using model::TimeDomain;

Snapshot full_snapshot() {
    Snapshot s;
    s.run_seconds = 12.3456;
    s.strategy = "hit-quote";
    s.order_link = "kernel";
    s.is_armed = true;
    s.session = "ready";
    s.totals = {.frames = 16189, .messages = 16000, .ticks = 40000, .events = 15000, .orders = 3, .fills = 2};
    s.counters = {{"r0.ticks", 40000},       {"r0.router.not_udp", 12},     {"r1.router.not_udp", 3},
                  {"r0.router.fragment", 0}, {"trade.refused_disarmed", 5}, {"trade.refused_killed", 0}};
    const Summary lead{
        .count = 8077, .min = 1, .p50 = 900, .p90 = 2000, .p99 = 5000, .p999 = 9000, .max = 12345};
    s.lines = {{.channel = "FUT-BOOK-5",
                .line = "A",
                .port = "feed",
                .packets = 8101,
                .wins = 8100,
                .twins = 1,
                .late = 0,
                .losses = 11,
                .is_silent = false,
                .lead_ns = lead},
               {.channel = "FUT-BOOK-5",
                .line = "B",
                .port = "lab",
                .packets = 8088,
                .wins = 11,
                .twins = 8077,
                .late = 2,
                .losses = 24,
                .is_silent = true,
                .lead_ns = {}}};
    s.latencies = {
        {.span = "tick to order",
         .from = TimeDomain::cycles,
         .until = TimeDomain::cycles,
         .ns = {.count = 3, .min = 400, .p50 = 450, .p90 = 500, .p99 = 501, .p999 = 502, .max = 503}},
        {.span = "capture to receive",
         .from = TimeDomain::capture_ns,
         .until = TimeDomain::cycles,
         .ns = {.count = 1, .min = 7, .p50 = 7, .p90 = 7, .p99 = 7, .p999 = 7, .max = 7}}};
    s.slowest = {{.tick_to_order_ns = 503,
                  .channel = "FUT-BOOK-5",
                  .line = "A",
                  .packet_sequence = 482727,
                  .message_index = 1,
                  .frame_number = 7,
                  .instrument = "49664582",
                  .cl_ord_id = "0000075DA70100AAAAAB",
                  .at_ns = 1375356277937941000,
                  .domain = TimeDomain::capture_ns}};
    s.holes = {{.channel = "FUT-BOOK-5",
                .is_snapshot = false,
                .first_missing = 490000,
                .count = 4,
                .at_ns = 99,
                .domain = TimeDomain::capture_ns}};
    s.holes_total = 3;
    s.books = {{.channel = "FUT-BOOK-5", .valid = 40, .invalid = 2}};
    s.decode_failures = {{.channel = "FUT-BOOK-5",
                          .line = "snapshot A",
                          .packet_number = 31,
                          .frame_number = 12,
                          .error = Errc::d9,
                          .template_id = 77,
                          .offset = 4}};
    s.ports = {{.name = "feed",
                .device = "af_packet:eth1",
                .driver = "net_af_packet",
                .is_link_up = true,
                .link_speed_mbps = 10000,
                .has_frame_times = false,
                .capabilities = {.steering = port::Steering::flow,
                                 .is_shared_with_kernel = true,
                                 .membership = port::MembershipBy::kernel,
                                 .receive_stamp = port::ReceiveStamp::every_frame,
                                 .transmit_stamp = port::TransmitStamp::timesync,
                                 .has_checksum_flag = true,
                                 .receive_queues_max = 16,
                                 .receive_descriptors = {.least = 64, .most = 4096, .multiple_of = 8},
                                 .transmit_descriptors = {.least = 512, .most = 4096, .multiple_of = 1},
                                 .numa_node = 1},
                .frames = 100,
                .missed = 1,
                .errors = 2,
                .no_buffer = 3,
                .descriptors = 4096,
                .filter = {.filter = port::MulticastFilter::mac_list, .mac_count = 3, .why = {}, .error = {}},
                .statistics = {{"rx_good_packets", 100}, {"rx_missed_errors", 12}}},
               {.name = "lab",
                .device = "pcap:day.pcap",
                .driver = "net_pcap",
                .is_link_up = false,
                .link_speed_mbps = 0,
                .has_frame_times = true,
                .capabilities = {},
                .frames = 16189,
                .missed = 0,
                .errors = 0,
                .no_buffer = 0,
                .descriptors = 1024,
                .filter = {.filter = port::MulticastFilter::promiscuous,
                           .mac_count = 0,
                           .why = "MAC list: Operation not supported",
                           .error = {}},
                .statistics = {}}};
    s.workers = {{.name = "r0",
                  .cpu = 0,
                  .loops = 1000000,
                  .longest_loop_ns = 15000,
                  .loops_over_10us = 1,
                  .minor_faults = 0,
                  .involuntary_switches = 2,
                  .ring_full_waits = 0},
                 {.name = "trade",
                  .cpu = -1,
                  .loops = 5,
                  .longest_loop_ns = 6,
                  .loops_over_10us = 0,
                  .minor_faults = 0,
                  .involuntary_switches = std::nullopt,
                  .ring_full_waits = 0}};
    return s;
}

TEST(LatencyReport, PrintsEverySectionAsText) {
    EXPECT_EQ(to_text(full_snapshot()),
              R"(run 12.346 s, strategy hit-quote, armed, order link kernel, session ready
frames 16189  messages 16000  ticks 40000  events 15000  orders 3  fills 2

drops
            15  not UDP  (r0.router 12, r1.router 3)

refusals
             5  the trader is not armed  (trade 5)

lines                              packets       wins      twins   late  losses  lead ns p50 / p99 / max
FUT-BOOK-5           A                8101       8100          1      0      11  900 / 5000 / 12345  on feed
FUT-BOOK-5           B                8088         11       8077      2      24  -  on lab  silent

holes 3
  FUT-BOOK-5: 4 packets from 490000, declared at 99 capture_ns
  2 later ones are not kept
  the device of feed counts rx_missed_errors 12

books                     valid    invalid
FUT-BOOK-5                   40          2

last message that could not be decoded
  FUT-BOOK-5 snapshot A packet 31 frame 12: D9 (the template identifier is unknown), template 77, at byte 4 of the payload

ports        device                   driver               link         frame times  device counts frames / missed / errors / no buffer
feed         af_packet:eth1           net_af_packet        10000 Mb/s            no  100 / 1 / 2 / 3
lab          pcap:day.pcap            net_pcap             down                 yes  16189 / 0 / 0 / 0
  feed can: steering flow, shared with the kernel, membership by kernel, receive times every_frame, transmit times timesync, checksum flag, receive queues up to 16, descriptors 64-4096 by 8 to receive, 512-4096 to transmit, NUMA node 1
  lab can: steering none, not shared with the kernel, membership by nobody, receive times cycles, transmit times doorbell, no checksum flag, receive queues up to 1, descriptors 0-0 to receive, 0-0 to transmit
  feed has: multicast by a list of 3 addresses, receive rings of 4096
  lab has: promiscuous (MAC list: Operation not supported), receive rings of 1024
  feed counts: rx_good_packets 100, rx_missed_errors 12

latency ns                     count      min      p50      p90      p99     p99.9        max  clocks
tick to order                      3      400      450      500      501       502        503  cycles
capture to receive                 1        7        7        7        7         7          7  capture_ns to cycles

slowest events, tick to order
           503 ns  FUT-BOOK-5 A packet 482727 message 1 frame 7  49664582  0000075DA70100AAAAAB  at 1375356277937941000 capture_ns

workers       cpu          loops  longest loop ns   over 10 us  minor faults    switched away  ring full
r0              0        1000000            15000            1             0                2          0
trade           -              5                6            0             0           yields          0

counters
         40000  r0.ticks: ticks handed on
)");
}

TEST(LatencyReport, LeavesOutSectionsWithoutContent) {
    Snapshot s;
    s.strategy = "null";
    s.order_link = "none";
    s.counters = {{"r0.router.not_udp", 0}};
    EXPECT_EQ(to_text(s),
              "run 0.000 s, strategy null, not armed, order link none\n"
              "frames 0  messages 0  ticks 0  events 0  orders 0  fills 0\n");
}

TEST(LatencyReport, WritesJsonWithEveryNumber) {
    const auto json = nlohmann::json::parse(to_json(full_snapshot()));
    EXPECT_EQ(json["totals"]["orders"], 3);
    EXPECT_EQ(json["drops"]["not_udp"], 15) << "summed over owners";
    EXPECT_EQ(json["drops"]["fragment"], 0) << "a reader may subtract";
    EXPECT_EQ(json["refusals"]["refused_disarmed"], 5);
    EXPECT_EQ(json["counters"]["r1.router.not_udp"], 3);
    EXPECT_EQ(json["books"][0]["invalid"], 2);
    EXPECT_EQ(json["decode_failures"][0]["error"], "D9");
    EXPECT_EQ(json["decode_failures"][0]["packet"], 31);
    EXPECT_EQ(json["decode_failures"][0]["frame"], 12);
    EXPECT_EQ(json["decode_failures"][0]["template"], 77);
    EXPECT_EQ(json["decode_failures"][0]["offset"], 4);
    EXPECT_EQ(json["ports"][0]["link_speed_mbps"], 10000);
    EXPECT_EQ(json["ports"][0]["device_missed"], 1);
    EXPECT_EQ(json["ports"][0]["multicast_filter"], "mac_list");
    EXPECT_EQ(json["ports"][0]["multicast_macs"], 3);
    EXPECT_EQ(json["ports"][1]["multicast_why"], "MAC list: Operation not supported");
    EXPECT_EQ(json["ports"][0]["descriptors"], 4096);
    EXPECT_EQ(json["ports"][0]["statistics"]["rx_missed_errors"], 12);
    EXPECT_EQ(json["ports"][1]["statistics"].size(), 0u);
    EXPECT_EQ(json["ports"][0]["capabilities"]["steering"], "flow");
    EXPECT_EQ(json["ports"][0]["capabilities"]["receive_descriptors"]["multiple_of"], 8);
    EXPECT_EQ(json["ports"][0]["capabilities"]["numa_node"], 1);
    EXPECT_TRUE(json["ports"][1]["capabilities"]["numa_node"].is_null()) << "not known";
    EXPECT_EQ(json["lines"][1]["losses"], 24);
    EXPECT_EQ(json["lines"][1]["port"], "lab");
    EXPECT_EQ(json["lines"][0]["lead_ns"]["p99.9"], 9000);
    EXPECT_EQ(json["latencies"][1]["from"], "capture_ns");
    EXPECT_EQ(json["slowest"][0]["cl_ord_id"], "0000075DA70100AAAAAB");
    EXPECT_EQ(json["holes_total"], 3);
    EXPECT_EQ(json["holes"][0]["first_missing"], 490000);
    EXPECT_EQ(json["workers"][1]["cpu"], -1);
}

TEST(LatencyReport, WritesValidJsonOfNamesThatAreNotUtf8) {
    Snapshot s = full_snapshot();
    s.slowest[0].instrument = "\xff\"key\"";
    const auto json = nlohmann::json::parse(to_json(s));
    EXPECT_EQ(json["slowest"][0]["instrument"], "\xef\xbf\xbd\"key\"");
}

TEST(LatencyReport, SaysWhatPulledTheKillSwitch) {
    Snapshot s = full_snapshot();
    s.kill_reason = "signal";
    EXPECT_NE(to_text(s).find("kill switch on: signal\n"), std::string::npos);
}

TEST(LatencyReport, TellsOfBroadcastsHowOldTheyAre) {
    Snapshot snapshot;
    snapshot.broadcasts = {{.channel = "NSE-FO",
                            .books_valid = 12,
                            .books_invalid = 1,
                            .book_age_ns_p50 = 500,
                            .book_age_ns_max = 900,
                            .datagram_age_ns = 77,
                            .heartbeat_age_ns = {},
                            .suggests_other_variant = true,
                            .without_layout = {"17208 of length 478: 12 messages"}}};
    const std::string text = to_text(snapshot);
    EXPECT_NE(text.find("circuit check ns   last datagram ns\n"), std::string::npos) << text;
    EXPECT_NE(text.find("                  -                 77\n"), std::string::npos) << text;
    EXPECT_NE(text.find("another LZO variant"), std::string::npos);
    EXPECT_NE(text.find("no layout for transcode 17208 of length 478: 12 messages"), std::string::npos);
    const auto json = nlohmann::json::parse(to_json(snapshot)).at("broadcasts").at(0);
    EXPECT_EQ(json.at("datagram_age_ns"), 77);
    EXPECT_TRUE(json.at("heartbeat_age_ns").is_null());
}

}  // namespace
}  // namespace tickpath::stats
