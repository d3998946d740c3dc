#include "sim/files/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {

InputFile::InputFile(const std::filesystem::path& path) : name_(printable(path.string())) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) refuse("there is no such file");
    if (error) refuse(error.message());
    if (std::filesystem::is_directory(status)) refuse("is a folder, not a file");
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
