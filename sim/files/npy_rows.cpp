#include "sim/files/npy_rows.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

[[noreturn]] void fail(int error_number) {
    throw std::system_error(error_number, std::generic_category());
}

std::uint64_t bytes_before(int first, int nx, DType dtype) {
    return std::uint64_t(first) * std::uint64_t(nx) * bytes_of(dtype);
}

}  // namespace

NpyReader::NpyReader(const std::filesystem::path& path) : file_(path), header_(read_field_header(path)) {}

Field NpyReader::rows(int first, int rows) {
    Field field(dtype(), nx(), rows);
    file_.seek(header_.data_offset + bytes_before(first, nx(), dtype()));
    field.visit([&](auto& cells) { file_.read(std::as_writable_bytes(cells.cells())); });
    return field;
}

void require_finite(const std::filesystem::path& path, std::uint64_t not_finite, std::uint64_t values) {
    if (not_finite == 0) return;
    throw InputError(
        "{}: {} of {} values are not finite (NaN or infinite)", printable(path.string()), not_finite, values);
}

NpyWriter::NpyWriter(const std::string& name, int nx, int ny)
    : file_(::open(name.c_str(), O_WRONLY | O_CLOEXEC)), nx_(nx), ny_(ny) {
    if (!file_) fail(errno);
}

std::string NpyWriter::header_text(DType dtype) const {
    const std::int64_t shape[] = {ny_, nx_};
    return npy_header_text(dtype == DType::float32 ? "<f4" : "<f8", shape);
}

void NpyWriter::write_header(DType dtype) {
    const std::string text = header_text(dtype);
    write_at(std::as_bytes(std::span(text)), 0);
}

void NpyWriter::write(int first, const Field& rows) {
    const std::uint64_t offset =
        header_text(rows.dtype()).size() + bytes_before(first, rows.nx(), rows.dtype());
    rows.visit([&](const auto& cells) { write_at(std::as_bytes(cells.cells()), offset); });
}

void NpyWriter::write_at(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (!write_all(file_.number(), bytes, offset)) fail(errno);
}

void NpyWriter::sync() {
    if (!flush(file_.number())) fail(errno);
}

void NpyWriter::close() {
    if (::close(file_.release()) != 0 && errno != EINTR) fail(errno);
}

std::string write_npy_rows(const std::filesystem::path& path,
                           int nx,
                           int ny,
                           const std::function<void(const RowSink&)>& give) {
    AtomicFile file(path);
    try {
        NpyWriter npy(file.open_name(), nx, ny);
        std::vector<std::uint64_t> hashes;
        DType dtype = DType::float32;
        give([&](int first, const Field& rows) {
            dtype = rows.dtype();
            npy.write(first, rows);
            std::ranges::copy(row_hashes(rows), std::back_inserter(hashes));
        });
        npy.write_header(dtype);
        npy.close();
        file.commit();
        return field_hash(dtype, nx, hashes);
    } catch (const std::system_error& error) {
        file.fail(error.code().message());
    }
}

}  // namespace stencil
