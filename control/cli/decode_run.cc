#include "control/cli/decode_run.h"

#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "control/capture/reader.h"
#include "control/cli/progress.h"
#include "dataplane/pipeline/tbb_runner.h"

namespace tickpath::cli {
namespace {

// Batches: a few thousand packets, so that handing over costs nothing beside decoding them, and a long file
// still has enough batches for every thread (bench/path/decode_jobs.py).
constexpr std::size_t text_bytes_max = 64 * 1024;
constexpr std::size_t batch_bytes_min = 256 * 1024;

void print(OutputText& text) {
    std::fwrite(text.data.data(), 1, text.data.size(), stdout);
    std::fwrite(text.talk.data(), 1, text.talk.size(), stderr);
    text.data.clear();
    text.talk.clear();
}

DecodeTotals finish(DecodeTotals totals, const PayloadReader& reader) {
    totals.frames_passed_over = reader.frames_passed_over();
    totals.input_error = reader.error();
    return totals;
}

DecodeTotals run_alone(const DecodeSettings& settings, const std::string& path, DecodeOutput& output,
                       DecodePass::Shows shows) {
    PayloadReader reader(path, settings.framing);
    DecodePass pass(settings, output, shows, [&output] {
        if (output.text().data.size() > text_bytes_max) print(output.text());
    });
    PayloadHandler handler(settings.framing, pass);
    Progress progress(file_bytes(path));
    while (const std::optional<Payload> payload = reader.next()) {
        handler.on_payload(*payload);
        print(output.text());
        progress.show(reader.bytes_read());
    }
    handler.finish();
    print(output.text());
    return finish(pass.take_totals(), reader);
}

/// The memory of a batch, used again by later ones: fresh pages for each would cost half as much as decoding.
struct Buffers {
    struct Part {
        Payload payload;  ///< without its bytes
        std::size_t begin = 0;
        std::size_t size_bytes = 0;
    };
    std::vector<std::byte> bytes;
    std::vector<Part> parts;
    OutputText text;
};

/// Payloads that one thread decodes in one go, and what came of it.
struct Batch : pipeline::WorkItem {
    explicit Batch(Buffers taken) : buffers(std::move(taken)) {}
    Buffers buffers;
    DecodeTotals totals;
    std::uint64_t bytes_read = 0;  ///< of the file, when this was complete
};

/// A decoder and its output. Their memory is taken once, not per batch.
struct Worker {
    Worker(const DecodeSettings& settings, const DecodeOutput& like)
        : output(like.another()), pass(settings, *output, DecodePass::Shows::messages) {}
    std::unique_ptr<DecodeOutput> output;
    DecodePass pass;
};

class ParallelDecode : public pipeline::OrderedWork {
public:
    ParallelDecode(const DecodeSettings& settings, const std::string& path, const DecodeOutput& output)
        : settings_(settings),
          output_(output),
          reader_(path, settings.framing),
          progress_(file_bytes(path)) {}

    std::unique_ptr<pipeline::WorkItem> read() override {
        auto batch = std::make_unique<Batch>(take_spare());
        while (batch->buffers.bytes.size() < batch_bytes_min) {
            const std::optional<Payload> payload = reader_.next();
            if (!payload) break;
            batch->buffers.parts.push_back({*payload, batch->buffers.bytes.size(), payload->bytes.size()});
            batch->buffers.bytes.insert(batch->buffers.bytes.end(), payload->bytes.begin(),
                                        payload->bytes.end());
        }
        batch->bytes_read = reader_.bytes_read();
        return batch->buffers.parts.empty() ? nullptr : std::move(batch);
    }

    void work(pipeline::WorkItem& item) override {
        auto& batch = static_cast<Batch&>(item);
        std::unique_ptr<Worker> worker = take_worker();
        PayloadHandler handler(settings_.framing, worker->pass);
        for (Buffers::Part& part : batch.buffers.parts) {
            part.payload.bytes = Bytes(batch.buffers.bytes).subspan(part.begin, part.size_bytes);
            handler.on_payload(part.payload);
        }
        std::swap(batch.buffers.text, worker->output->text());
        batch.totals = worker->pass.take_totals();
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(worker));
    }

    void finish(pipeline::WorkItem& item) override {
        auto& batch = static_cast<Batch&>(item);
        print(batch.buffers.text);
        totals_.add(batch.totals);
        progress_.show(batch.bytes_read);
        batch.buffers.bytes.clear();
        batch.buffers.parts.clear();
        const std::lock_guard lock(mutex_);
        spare_.push_back(std::move(batch.buffers));
    }

    [[nodiscard]] DecodeTotals totals() const { return cli::finish(totals_, reader_); }

private:
    std::unique_ptr<Worker> take_worker() {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                std::unique_ptr<Worker> worker = std::move(idle_.back());
                idle_.pop_back();
                return worker;
            }
        }
        return std::make_unique<Worker>(settings_, output_);
    }

    Buffers take_spare() {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) return {};
        Buffers buffers = std::move(spare_.back());
        spare_.pop_back();
        return buffers;
    }

    const DecodeSettings& settings_;
    const DecodeOutput& output_;
    PayloadReader reader_;  // touched by read() alone
    Progress progress_;     // this and the next by finish() alone
    DecodeTotals totals_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Worker>> idle_;
    std::vector<Buffers> spare_;
};

}  // namespace

DecodeTotals run_decode(const DecodeSettings& settings, const std::string& path, DecodeOutput& output,
                        unsigned jobs) {
    if (output.needs_two_passes())
        static_cast<void>(run_alone(settings, path, output, DecodePass::Shows::occurrences));
    output.begin(capture::is_capture_file(path));
    if (jobs <= 1) return run_alone(settings, path, output, DecodePass::Shows::messages);
    print(output.text());
    ParallelDecode work(settings, path, output);
    pipeline::run_in_order(work, jobs);
    return work.totals();
}

std::string refuse_jobs(const DecodeSettings& settings, const std::string& path) {
    switch (settings.decoder.reset) {
        case fast::ResetRule::message:
        case fast::ResetRule::datagram:
            break;
        case fast::ResetRule::never:
        case fast::ResetRule::template_id:
            return "--jobs needs datagrams that do not depend on one another; with this reset rule the "
                   "dictionary goes on from one to the next (only message and datagram end it)";
    }
    if (settings.framing.preamble.form == framing::PreambleForm::chunked)
        return "--jobs needs datagrams that do not depend on one another; with this framing a message is "
               "spread over several";
    if (capture::is_capture_file(path) || settings.framing.has_length_prefix) return {};
    return "--jobs needs to know where datagrams begin: a capture, or --framing u32le-length; in this file "
           "each begins where the one before it ends";
}

}  // namespace tickpath::cli
