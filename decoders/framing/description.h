// A feed as data: how its datagrams are framed, numbered and reset, where its lines are and which of its
// fields mean what. Read from XML (schema: templates/feeds/README.md). Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/framing/nse.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::framing {

enum class ByteOrder : std::uint8_t { little, big };

enum class PreambleForm : std::uint8_t {
    bytes,    ///< a fixed number of bytes, perhaps none
    chunked,  ///< the same, and in it which part of a message follows (UMDF)
    header,   ///< a FAST message of its own (T7), see packet_header.h
};

/// What stands between the UDP header and the first FAST message.
struct Preamble {
    PreambleForm form = PreambleForm::bytes;
    std::uint32_t bytes = 0;            ///< 0: the first message starts at once; of a header it varies
    std::uint32_t sequence_offset = 0;  ///< of the packet number inside the preamble
    std::uint32_t sequence_bytes = 0;   ///< 1, 2, 4 or 8; 0: the preamble holds no packet number
    ByteOrder sequence_order = ByteOrder::little;
    /// Of three 16-bit numbers in the same order: chunks of the message, which of them this is (from 1), and
    /// bytes of it in this datagram.
    std::uint32_t chunk_offset = 0;
    std::uint32_t header_template = 0;         ///< identifier of the header's template; 0: any
    std::optional<std::uint32_t> sender = {};  ///< whose headers are meant; none: everybody's

    /// Whether split() finds a packet number.
    [[nodiscard]] bool has_sequence() const noexcept {
        return sequence_bytes != 0 || form == PreambleForm::header;
    }

    friend bool operator==(const Preamble&, const Preamble&) = default;
};

/// What `--framing` of tickpath decode calls the preambles of venues; nullopt for another name. They come
/// without a reset rule, as all framings do.
///
/// "u32le-sequence" (MOEX), "cme", "umdf", "t7".
[[nodiscard]] std::optional<Preamble> preamble_named(std::string_view name) noexcept;

/// Reset messages do not count: "one" may still be a reset and one message.
enum class MessagesPerDatagram : std::uint8_t { one, many };

/// What bytes after the last message of a datagram are: a decoding error, or nothing to speak of.
enum class TrailingBytes : std::uint8_t { error, ignore };

/// When the decoder forgets what it remembers (FAST dictionaries). Always stated, never guessed: decoding
/// with a missing reset gives wrong values and no error (spec/fast-feeds.md §2).
enum class ResetRule : std::uint8_t { message, datagram, template_id, never };

/// What a FAST message may cost at most; going over one is the decoding error `limit`. The other bounds of
/// the decoder (fast::Limits) are the same for all feeds.
struct FastLimits {
    std::uint32_t sequence_length_max = 65'536;  ///< elements of one sequence
    std::uint32_t string_bytes_max = 16'384;     ///< one string or byte vector
    std::uint32_t map_bytes_max = 64;            ///< one presence map

    friend bool operator==(const FastLimits&, const FastLimits&) = default;
};

/// Where a datagram's packet number stands.
enum class NumberSource : std::uint8_t { preamble, field };

enum class Role : std::uint8_t { incremental, snapshot };

/// The two identical copies of a stream.
enum class Copy : std::uint8_t { a, b };

/// One multicast group that carries one copy of one stream of a channel.
struct Line {
    Role role = Role::incremental;
    Copy copy = Copy::a;
    net::MulticastGroup group;

    /// model::Tick::line: 0 = A, 1 = B, 2 = snapshot A, 3 = snapshot B.
    [[nodiscard]] std::uint8_t index() const noexcept {
        return static_cast<std::uint8_t>(static_cast<unsigned>(role) * 2 + static_cast<unsigned>(copy));
    }
    friend bool operator==(const Line&, const Line&) = default;
};

/// What a channel's quotes build.
enum class BookModel : std::uint8_t {
    none,   ///< no book: trades or statistics; there is nothing to invalidate
    level,  ///< price levels counted from 1, which add and remove shift
    order,  ///< orders by entry id
};

/// What a book is before its first tick.
enum class BookStart : std::uint8_t {
    empty,           ///< the feed is heard from its beginning: an empty book is a true book
    unsynchronised,  ///< the feed is joined midway: only a snapshot makes a book true
};

struct BookSettings {
    BookModel model = BookModel::none;
    std::uint32_t depth = 0;  ///< levels per side that the venue sends; 0 = all
    BookStart start = BookStart::unsynchronised;

    friend bool operator==(const BookSettings&, const BookSettings&) = default;
};

/// Streams that share one set of books: an incremental one, usually with a snapshot one.
struct Channel {
    std::string name;
    BookSettings book;
    std::vector<Line> lines;
};

/// How long packets behind a hole are held back in the hope that the other line fills it.
struct Window {
    std::uint32_t packets = 1024;  ///< held at most, a power of two; each takes a slot of 2 KiB
    std::uint32_t time_us = 2000;
    std::uint32_t line_silence_ms = 10'000;  ///< a line that is silent for longer, its twin not, is marked
    /// A packet that more than this many of its own line overtook is lost on that line: a hole that every
    /// line has passed so, or that only silent lines might fill, waits no longer.
    std::uint32_t reorder_packets = 64;
};

/// A packet number that starts again.
struct Restart {
    /// A line whose numbers jump back by at least this much for several packets running has restarted
    /// without saying so; see feed::Sequencer.
    std::uint32_t backward_packets = 1000;
};

/// Matches a template by number or by name; a name may end in '*'.
struct TemplateSelector {
    std::string text;
    std::optional<std::uint32_t> id;  ///< set when the text is a number

    [[nodiscard]] bool matches(std::string_view name, std::uint32_t template_id) const noexcept;
    friend bool operator==(const TemplateSelector&, const TemplateSelector&) = default;
};

enum class MessageKind : std::uint8_t {
    incremental,
    snapshot,  ///< the whole book of one instrument, in one message or in fragments
    restart,   ///< the packet numbers of this stream start again after this message (FIX 35=4)
};

/// Values of a field that mean something to us; other values mean the entry is of no interest.
struct ActionMap {
    std::string field;  ///< empty: every entry adds, as in snapshots
    std::vector<std::string> add, change, remove;
};

struct EntryTypeMap {
    std::string field;
    std::vector<std::string> bid, ask, trade, empty_book;
};

/// Which side started a trade.
struct AggressorMap {
    std::string field;  ///< empty: the feed does not tell
    std::vector<std::string> buy, sell;
};

/// How one kind of message becomes ticks. A field name is looked up in the entry first, then in the message;
/// an empty name means that the feed has no such field.
struct MessageMapping {
    MessageKind kind = MessageKind::incremental;
    std::vector<TemplateSelector> templates;
    std::string number;   ///< the packet number as a field: counted when it differs from the framing's
    std::string entries;  ///< the sequence of entries; empty only for kind restart
    std::vector<std::string> key;  ///< values joined by '|' name the instrument: Symbol|TradingSessionID
    ActionMap action;
    EntryTypeMap type;
    AggressorMap aggressor;
    std::string price, quantity, level, entry_id;
    std::string instrument_sequence;  ///< FIX RptSeq
    std::string entry_time, sending_time;
    std::string last_number_processed;          ///< snapshots: incremental packet number they include
    std::string fragment_first, fragment_last;  ///< snapshots in fragments: 1 in the first, 1 in the last
    std::string next_number;                    ///< restart: the packet number that follows; empty: 1
    std::uint32_t line = 0;                     ///< in the description, for messages
};

/// Decimal places at which prices and quantities of instruments without a known definition are kept.
struct LearnedScale {
    std::int8_t price_places = 0;
    std::int8_t quantity_places = 0;
};

/// What stands inside the datagrams.
enum class Codec : std::uint8_t { fast, nse };

/// Of which instruments' records ticks are made.
enum class Interest : std::uint8_t {
    all,    ///< others than those of the instrument file are learned
    known,  ///< those of the instrument file: a message of none is given up as early as its tokens are there
};

/// What the NSE broadcast needs instead of templates and mappings: its layouts are files of their own.
struct NseSettings {
    nse::Segment segment = nse::Segment::unknown;  ///< messages of another are counted and not read
    std::int8_t price_places = 2;                  ///< of prices as they are sent
    Interest interest = Interest::all;
    std::string layouts_file;  ///< as written, relative to the description; empty: those of the program only
};

/// Everything the generic handler needs to know about one feed.
struct FeedDescription {
    std::string name;
    std::string file;  ///< where it was read from, for messages
    Codec codec = Codec::fast;
    NseSettings nse;  ///< for Codec::nse; then preamble to messages_mapped say nothing
    Preamble preamble;
    MessagesPerDatagram messages = MessagesPerDatagram::one;
    TrailingBytes trailing = TrailingBytes::error;
    std::string templates_file;  ///< as written, relative to the description; may be empty: given elsewhere
    ResetRule reset = ResetRule::datagram;
    std::uint32_t reset_template_id = 0;  ///< for ResetRule::template_id
    FastLimits fast_limits;
    NumberSource number_source = NumberSource::preamble;
    std::string number_field;  ///< for NumberSource::field
    Restart restart;
    /// Per-instrument numbers grow by exactly one per entry, so that they prove what was missed and what not.
    bool instrument_sequence_contiguous = false;
    LearnedScale scale;
    Window window;
    std::vector<MessageMapping> messages_mapped;
    std::vector<Channel> channels;

    [[nodiscard]] const Channel* find_channel(std::string_view channel_name) const noexcept;
};

/// The layout file that an NSE description names, from where this process stands; empty: none.
[[nodiscard]] std::string layouts_path(const FeedDescription& feed);

/// Reads a description. Reports every problem at once with file and line; nullopt when one is an error.
[[nodiscard]] std::optional<FeedDescription> parse_description(std::string_view xml,
                                                               std::string_view file_name,
                                                               Diagnostics& diagnostics);

/// Reads the preset of this name (presets.h), or else the file of this name.
[[nodiscard]] std::optional<FeedDescription> load_description(const std::string& preset_or_file,
                                                              Diagnostics& diagnostics);

}  // namespace tickpath::framing
