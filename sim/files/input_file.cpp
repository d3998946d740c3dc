#include "sim/files/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "sim/text/error.h"

namespace stencil {

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) refuse("there is no such file");
    if (error) refuse(error.message());
    if (std::filesystem::is_directory(status)) refuse("is a folder, not a file");
    // Opening a pipe would wait for somebody to write to it.
    if (!std::filesystem::is_regular_file(status)) refuse("is not a regular file");
    errno = 0;
    stream_.open(path, std::ios::binary);
    if (!stream_) refuse(errno != 0 ? std::generic_category().message(errno) : "can't be opened");
    stream_.seekg(0, std::ios::end);
    const std::streamoff end = stream_.tellg();
    stream_.seekg(0);
    if (!stream_ || end < 0) refuse("can't be read");
    size_ = std::uintmax_t(end);
}

void InputFile::read(std::span<std::byte> bytes) {
    errno = 0;
    stream_.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
    if (stream_) return;
    refuse(errno != 0 ? std::generic_category().message(errno) : "ended while it was read");
}

void InputFile::refuse(std::string_view what) const {
    throw InputError(fmt::format("{}: {}", name_, what));
}

std::string quotable(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string result(text.substr(0, kLongest));
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > kLongest ? result + "..." : result;
}

}  // namespace stencil
