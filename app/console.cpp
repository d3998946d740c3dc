#include "app/console.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "sim/files/atomic_file.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

std::FILE* printed = stdout;

int output_error = 0;  // errno of the first write to standard output that failed

void write_text(std::FILE* file, std::string_view text) {
    errno = 0;
    std::fwrite(text.data(), 1, text.size(), file);
    // Flush each write: rows of a table appear at once, and the errno of a failed write is not lost.
    if (std::fflush(file) != 0 && file == stdout && output_error == 0) output_error = errno;
}

}  // namespace

void reserve_standard_files() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void print_beside(const std::filesystem::path& file) {
    struct stat named = {}, output = {};
    if (::stat(file.c_str(), &named) != 0 || ::fstat(STDOUT_FILENO, &output) != 0) return;
    const bool same = named.st_dev == output.st_dev && named.st_ino == output.st_ino;
    if (same && (descriptor_named(file) >= 0 || S_ISFIFO(named.st_mode))) printed = stderr;
}

void print_text(std::string_view text) {
    write_text(printed, printable_lines(text));
}

void note_text(std::string_view text) {
    write_text(stderr, printable_lines(text));
}

void draw_line(std::string_view text) {
    write_text(stderr, "\r" + printable(text) + "\x1b[K");
}

void print_written(std::span<const std::filesystem::path> files) {
    for (const std::filesystem::path& file : files) {
        std::error_code special;  // what is no regular file has no size
        const auto size = std::filesystem::file_size(file, special);
        print("wrote {}{}\n", file.string(), special ? "" : fmt::format(" ({})", format_bytes(double(size))));
    }
}

void require_printed() {
    errno = 0;
    // Some file systems report a failed write when a descriptor is closed.
    if ((std::fflush(stdout) != 0 || ::close(::dup(STDOUT_FILENO)) != 0) && output_error == 0)
        output_error = errno;
    if (output_error == 0 && std::ferror(stdout) == 0) return;
    const int reason = output_error != 0 ? output_error : EIO;
    throw MachineError("cannot write to standard output: " + std::generic_category().message(reason));
}

}  // namespace stencil
