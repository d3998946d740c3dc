#include "sim/files/input_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "sim/files/atomic_file.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Keeps the bytes that were read from pipes, by the descriptor.
struct ReadStreams {
    std::mutex mutex;
    std::map<int, std::shared_ptr<const std::string>> all;
};
ReadStreams& streams() {
    static ReadStreams read;
    return read;
}

// Reads a pipe of this process to its end. It gives its bytes once, and a run reads its files twice.
std::shared_ptr<const std::string> bytes_of_stream(int number, const InputFile& file) {
    constexpr std::size_t kMost = std::size_t(1) << 30;
    const std::lock_guard lock(streams().mutex);
    std::shared_ptr<const std::string>& bytes = streams().all[number];
    if (bytes) return bytes;
    std::string all;
    char part[1 << 16];
    for (ssize_t count; (count = ::read(number, part, sizeof part)) != 0;) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) file.refuse(std::generic_category().message(errno));
        all.append(part, std::size_t(count));
        if (all.size() > kMost) file.refuse(fmt::format("more than {} bytes", kMost));
    }
    return bytes = std::make_shared<const std::string>(std::move(all));
}

std::filesystem::path opened(const std::filesystem::path& path) {
    return path == "-" ? "/dev/stdin" : path;
}

}  // namespace

Streams read_streams() {
    const std::lock_guard lock(streams().mutex);
    Streams read;
    for (const auto& [number, bytes] : streams().all)
        if (bytes) read.emplace_back(number, *bytes);
    return read;
}

void keep_streams(const Streams& read) {
    const std::lock_guard lock(streams().mutex);
    for (const auto& [number, bytes] : read)
        streams().all[number] = std::make_shared<const std::string>(bytes);
}

bool is_stream(const std::filesystem::path& path) {
    std::error_code ignored;
    return path == "-" || (descriptor_named(path) >= 0 && !std::filesystem::is_regular_file(path, ignored));
}

InputFile::InputFile(std::string name, std::shared_ptr<const std::string> bytes) : name_(std::move(name)) {
    hold(std::move(bytes));
}

void InputFile::hold(std::shared_ptr<const std::string> bytes) {
    bytes_ = std::move(bytes);
    size_ = bytes_->size();
    // The stream only reads.
    stream_.reset(::fmemopen(const_cast<char*>(bytes_->data()), bytes_->size(), "rb"));
    if (!stream_) refuse(std::generic_category().message(errno));
}

InputFile::InputFile(const std::filesystem::path& given) : name_(printable(given.string())) {
    const std::filesystem::path path = opened(given);
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) refuse("there is no such file");
    if (error) refuse(error.message());
    if (std::filesystem::is_directory(status)) refuse("is a folder, not a file");
    if (const int number = descriptor_named(path); number >= 0 && is_stream(given)) {
        hold(bytes_of_stream(number, *this));
        return;
    }
    // Opening a pipe would block until another process writes to it.
    if (!std::filesystem::is_regular_file(status)) refuse("is not a regular file");
    stream_.reset(std::fopen(path.c_str(), "rbe"));
    if (!stream_) refuse(std::generic_category().message(errno));
    const bool sized = ::fseeko(stream(), 0, SEEK_END) == 0;
    const off_t end = ::ftello(stream());
    rewind();
    if (!sized || end < 0) refuse("can't be read");
    size_ = std::uintmax_t(end);
}

void InputFile::read(std::span<std::byte> bytes) {
    errno = 0;
    if (read_some(bytes) == bytes.size()) return;
    refuse(errno != 0 ? std::generic_category().message(errno) : "ended while it was read");
}

void InputFile::seek(std::uintmax_t offset) {
    if (::fseeko(stream(), off_t(offset), SEEK_SET) != 0) refuse(std::generic_category().message(errno));
}

void InputFile::refuse(std::string_view what) const {
    throw InputError("{}: {}", name_, what);
}

std::size_t InputFile::read_some(std::span<std::byte> bytes) {
    return std::fread(bytes.data(), 1, bytes.size(), stream());
}

std::string InputFile::read_text(std::uintmax_t max_bytes) {
    if (size_ > max_bytes) refuse(fmt::format("{} bytes; at most {} are read", size_, max_bytes));
    std::string text(std::size_t(size_), '\0');
    read(std::as_writable_bytes(std::span(text)));
    return text;
}

}  // namespace stencil
