// tickpath lzo1z: raw LZO1Z blocks from and to files.
#include <algorithm>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/talk.h"
#include "control/cli/written_over.h"
#include "decoders/base/whole_file.h"
#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"

namespace tickpath::cli {
namespace {

constexpr std::size_t capacity_default = 16u << 20;
constexpr std::size_t capacity_max = std::size_t{1} << 32;
// The most that a byte of a block stands for: a zero that lengthens a length (spec lzo1z).
constexpr std::size_t bytes_out_per_byte = 255;

struct Options {
    std::string in;
    std::string out;
    std::size_t capacity = capacity_default;
    bool small = false;
};

bool read_bytes(const std::string& path, std::string& bytes) {
    FileContent content = read_whole_file(path, data_bytes_max);
    if (!content) say(path + ": " + content.why);
    bytes = std::move(content.bytes);
    return content.error == Errc::ok;
}

ExitCode write_bytes(const std::string& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) return exit_ok;
    say(path + ": cannot be written");
    return exit_failed;
}

ExitCode compress_file(const Options& options) {
    if (writes_over(options.out, {&options.in})) return exit_usage;
    std::string input;
    if (!read_bytes(options.in, input)) return exit_failed;
    std::vector<std::byte> block(lzo1z::max_compressed_size(input.size()));
    const auto workspace = std::make_unique<lzo1z::Workspace>();
    const lzo1z::CompressResult result =
        lzo1z::compress(std::as_bytes(std::span(input)), block, *workspace,
                        options.small ? lzo1z::Level::small : lzo1z::Level::fast);
    return write_bytes(options.out, std::span(block).first(result.written));
}

// A block that is wrong leaves no file: half a message that looks like a whole one would be worse than none.
ExitCode decompress_file(const Options& options) {
    if (writes_over(options.out, {&options.in})) return exit_usage;
    std::string block;
    if (!read_bytes(options.in, block)) return exit_failed;
    const std::size_t room = std::min(options.capacity, block.size() * bytes_out_per_byte);
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[room]);
    if (!memory) {
        say("--capacity " + std::to_string(options.capacity) + ": there is no memory for " +
            std::to_string(room) + " bytes");
        return exit_failed;
    }
    const std::span<std::byte> out(memory.get(), room);
    const lzo1z::DecompressResult result = lzo1z::decompress(std::as_bytes(std::span(block)), out);
    if (result.error == Errc::ok) return write_bytes(options.out, out.first(result.written));
    std::string advice;
    if (result.error == Errc::output_overrun)
        advice = "; --capacity is " + std::to_string(options.capacity) + ", and more may help";
    say(options.in + ": byte " + std::to_string(result.consumed) + ": " + std::string(code(result.error)) +
        ": " + std::string(describe(result.error)) + "; " + std::to_string(result.written) +
        " bytes were decompressed before it, nothing was written" + advice);
    return exit_bad_data;
}

void add_files(CLI::App& command, Options& options) {
    command.add_option("IN", options.in, "file to read")->required();
    command.add_option("-o,--output", options.out, "file to write")->required();
}

void attach_lzo1z(CLI::App& app, int& exit_code) {
    const auto options = std::make_shared<Options>();
    app.require_subcommand(1);
    CLI::App* const compress = app.add_subcommand("compress", "one raw block from any file");
    add_files(*compress, *options);
    compress->add_flag("--small", options->small, "look longer for matches: smaller and slower");
    compress->callback([options, &exit_code] { exit_code = compress_file(*options); });

    CLI::App* const decompress = app.add_subcommand("decompress", "the bytes of one raw block");
    add_files(*decompress, *options);
    decompress->add_option("--capacity", options->capacity, "bytes that the output may have")
        ->check(CLI::Range(std::size_t{0}, capacity_max))
        ->capture_default_str();
    decompress->callback([options, &exit_code] { exit_code = decompress_file(*options); });
}

}  // namespace

Command lzo1z_command() {
    return {.name = "lzo1z",
            .summary = "compress or decompress one raw LZO1Z block",
            .example = "tickpath lzo1z compress README.md -o readme.lz",
            .attach = attach_lzo1z};
}

}  // namespace tickpath::cli
