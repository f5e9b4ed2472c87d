// A counterparty made of Debian's libquickfix, its validator on: tells whether others accept what we send. A
// C++14 program of its own, for the library's headers need that.
//
//   quickfix-exchange PORT DICTIONARY SENDER TARGET
//
// Says "listening" on stdout, answers each NewOrderSingle with New and a fill, and on SIGINT or SIGTERM logs
// out and prints one line of JSON.
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include <quickfix/Application.h>
#include <quickfix/MessageCracker.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/NewOrderSingle.h>

namespace {

std::atomic<bool> stop_asked{false};

extern "C" void on_signal(int) {
    stop_asked = true;
}

struct Counts {
    std::atomic<long> logons{0}, logouts{0}, orders{0}, fills{0};
    std::atomic<long> rejects_sent{0};      // 35=3 and j: our message did not pass their validator
    std::atomic<long> rejects_received{0};  // 35=3 and j: theirs did not pass ours
    std::atomic<long> resend_requests_received{0};
    std::atomic<long> repeated_ids{0};  // orders under a ClOrdID that an order had before
};

class Exchange : public FIX::Application, public FIX::MessageCracker {
public:
    explicit Exchange(Counts& counts) : counts_(counts) {}

    void onCreate(const FIX::SessionID&) override {}
    void onLogon(const FIX::SessionID&) override { ++counts_.logons; }
    void onLogout(const FIX::SessionID&) override { ++counts_.logouts; }
    void toAdmin(FIX::Message& message, const FIX::SessionID&) override {
        if (type_of(message) == "3") ++counts_.rejects_sent;
    }
    void toApp(FIX::Message& message, const FIX::SessionID&) throw(FIX::DoNotSend) override {
        if (type_of(message) == "j") ++counts_.rejects_sent;
    }
    void fromAdmin(const FIX::Message& message,
                   const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                FIX::IncorrectTagValue, FIX::RejectLogon) override {
        if (type_of(message) == "3") ++counts_.rejects_received;
        if (type_of(message) == "2") ++counts_.resend_requests_received;
    }
    void fromApp(const FIX::Message& message,
                 const FIX::SessionID& session) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                      FIX::IncorrectTagValue,
                                                      FIX::UnsupportedMessageType) override {
        if (type_of(message) == "j") {
            ++counts_.rejects_received;
            return;
        }
        crack(message, session);
    }

    void onMessage(const FIX44::NewOrderSingle& order, const FIX::SessionID& session) override {
        FIX::ClOrdID id;
        FIX::Symbol symbol;
        FIX::Side side;
        FIX::OrderQty quantity;
        FIX::Price price;
        order.get(id);
        order.get(symbol);
        order.get(side);
        order.get(quantity);
        order.get(price);
        ++counts_.orders;
        if (!ids_.insert(id.getString()).second) ++counts_.repeated_ids;

        FIX44::ExecutionReport report = report_of(id, symbol, side, FIX::ExecType('0'), FIX::OrdStatus('0'));
        report.set(FIX::LeavesQty(quantity));
        report.set(FIX::CumQty(0));
        report.set(FIX::AvgPx(0));
        FIX::Session::sendToTarget(report, session);

        FIX44::ExecutionReport fill = report_of(id, symbol, side, FIX::ExecType('F'), FIX::OrdStatus('2'));
        fill.set(FIX::LastQty(quantity));
        fill.set(FIX::LastPx(price));
        fill.set(FIX::LeavesQty(0));
        fill.set(FIX::CumQty(quantity));
        fill.set(FIX::AvgPx(price));
        FIX::Session::sendToTarget(fill, session);
        ++counts_.fills;
    }

private:
    static std::string type_of(const FIX::Message& message) {
        FIX::MsgType type;
        message.getHeader().getField(type);
        return type.getValue();
    }
    FIX44::ExecutionReport report_of(const FIX::ClOrdID& id, const FIX::Symbol& symbol, const FIX::Side& side,
                                     const FIX::ExecType& type, const FIX::OrdStatus& status) {
        FIX44::ExecutionReport report;
        report.set(FIX::OrderID("O" + id.getString()));
        report.set(id);
        report.set(FIX::ExecID("E" + std::to_string(++report_count_)));
        report.set(type);
        report.set(status);
        report.set(symbol);
        report.set(side);
        return report;
    }

    Counts& counts_;
    long report_count_ = 0;
    std::set<std::string> ids_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: quickfix-exchange PORT DICTIONARY SENDER TARGET\n";
        return 2;
    }
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    std::stringstream text;
    text << "[DEFAULT]\nConnectionType=acceptor\nStartTime=00:00:00\nEndTime=00:00:00\nSocketReuseAddress=Y\n"
            "SocketNodelay=Y\nUseDataDictionary=Y\nValidateFieldsOutOfOrder=Y\nValidateFieldsHaveValues=Y\n"
            "ValidateUserDefinedFields=Y\nCheckLatency=Y\n"
         << "SocketAcceptPort=" << argv[1] << "\nDataDictionary=" << argv[2]
         << "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=" << argv[3] << "\nTargetCompID=" << argv[4]
         << '\n';
    try {
        Counts counts;
        FIX::SessionSettings settings(text);
        Exchange exchange(counts);
        FIX::MemoryStoreFactory stores;
        FIX::SocketAcceptor acceptor(exchange, stores, settings);
        acceptor.start();
        std::cout << "listening" << std::endl;
        while (!stop_asked)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        acceptor.stop();
        std::cout << "{\"logons\":" << counts.logons << ",\"logouts\":" << counts.logouts
                  << ",\"orders\":" << counts.orders << ",\"fills\":" << counts.fills
                  << ",\"rejects_sent\":" << counts.rejects_sent
                  << ",\"rejects_received\":" << counts.rejects_received
                  << ",\"repeated_ids\":" << counts.repeated_ids
                  << ",\"resend_requests_received\":" << counts.resend_requests_received << "}" << std::endl;
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "quickfix-exchange: " << error.what() << '\n';
        return 1;
    }
}
