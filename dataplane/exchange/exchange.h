// A counterparty without a market: takes orders over FIX, acknowledges each, then fills or cancels it by
// rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/exchange/order_check.h"
#include "dataplane/exchange/recent_ids.h"
#include "dataplane/fix_engine/fix_engine.h"

namespace tickpath::exchange {

struct ExchangeClient {
    std::string sender;  ///< our CompID
    std::string target;  ///< the client's
};

struct ExchangeSettings {
    tcp::Endpoint listen;
    std::string store_directory;
    std::vector<ExchangeClient> clients;
    /// Fills accepted order number N, 2N, …: 1 every one, 0 none. An IOC order that is not filled is
    /// cancelled; a day order stays New.
    std::uint32_t fill_every = 1;
    std::size_t remembered_ids = 64 * 1024;  ///< ClOrdIDs per session among which duplicates are found
};

/// What one client did since start.
struct ClientCounts {
    std::uint64_t logons = 0;
    std::uint64_t orders = 0;  ///< accepted
    std::uint64_t fills = 0;
    std::uint64_t cancels = 0;       ///< IOC orders that were not filled
    std::uint64_t refused = 0;       ///< ExecutionReport Rejected
    std::uint64_t rejects = 0;       ///< Reject and BusinessMessageReject
    std::uint64_t reports_lost = 0;  ///< the client does not read; it is logged out

    ClientCounts& operator+=(const ClientCounts& other) noexcept;
};

/// One thread. What connects and logs out is told to `talk`, for people.
class Exchange final : public fix_engine::EngineHandler {
public:
    using Talk = std::function<void(std::string_view line)>;

    /// nullptr with one text for a person per problem.
    [[nodiscard]] static std::unique_ptr<Exchange> open(const ExchangeSettings& settings,
                                                        core::CounterPage& counters, Talk talk,
                                                        std::vector<std::string>& error_texts);

    /// One turn; true when something was done.
    bool poll() noexcept { return engine_->poll(); }
    /// Sleeps until something comes in, at most `timeout_ms`.
    void wait(std::uint32_t timeout_ms) noexcept { engine_->wait(timeout_ms); }
    /// Logs all clients out and waits for their answers, at most the sessions' Logout time-out.
    void shut_down() noexcept { engine_->shut_down(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return engine_->port(); }
    [[nodiscard]] std::size_t client_count() const noexcept { return clients_.size(); }
    [[nodiscard]] const std::string& client_name(std::size_t index) const noexcept {
        return clients_[index].name;
    }
    [[nodiscard]] const ClientCounts& counts(std::size_t index) const noexcept {
        return clients_[index].counts;
    }
    [[nodiscard]] ClientCounts total() const noexcept;

    void on_logon(std::size_t session) noexcept override;
    void on_message(std::size_t session, const fix::Message& message, bool poss_dup) noexcept override;
    void on_logout(std::size_t session, std::string_view reason) noexcept override;

private:
    struct Client {
        std::string name;  ///< the client's CompID
        ClientCounts counts;
        RecentIds ids;
    };
    /// What one ExecutionReport tells.
    struct Event {
        char exec_type = '0';
        char ord_status = '0';
        std::uint64_t order_number = 0;
        bool is_fill = false;
        bool is_over = false;  ///< nothing of the order is left
        Verdict refusal{};
    };

    Exchange(const ExchangeSettings& settings, Talk talk);

    void on_order(std::size_t session, const fix::Message& message, bool poss_dup) noexcept;
    void answer(std::size_t session, const fix::Message& message, const Order& order,
                const Verdict& verdict) noexcept;
    void business_reject(std::size_t session, const fix::Message& message, std::uint32_t reason,
                         std::string_view text) noexcept;
    void report(std::size_t session, const Order& order, const Event& event) noexcept;
    void commit(std::size_t session) noexcept;

    std::uint32_t fill_every_;
    std::uint64_t accepted_ = 0;  ///< orders of all clients, for fill_every
    std::vector<Client> clients_;
    Talk talk_;
    std::unique_ptr<fix_engine::FixEngine> engine_;
};

}  // namespace tickpath::exchange
