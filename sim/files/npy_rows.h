// Reading and writing rows of a field's .npy file in place, for files shared by several processes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/field/row_source.h"
#include "sim/files/descriptor.h"
#include "sim/files/input_file.h"
#include "sim/files/npy.h"

namespace stencil {

class NpyReader {
  public:
    /// Throws InputError as read_field_header() does.
    explicit NpyReader(const std::filesystem::path& path);
    const NpyHeader& header() const { return header_; }
    int nx() const { return int(header_.shape[1]); }
    int ny() const { return int(header_.shape[0]); }
    DType dtype() const { return header_.descr.ends_with("f4") ? DType::float32 : DType::float64; }
    /// Whether rows can be read singly, as they lie in the file: Fortran order interleaves them.
    bool has_rows() const {
        return !header_.fortran_order && (header_.descr == "<f4" || header_.descr == "<f8");
    }
    /// Reads rows; values may be NaN or infinite. Throws InputError.
    Field rows(int first, int rows);

  private:
    InputFile file_;
    NpyHeader header_;
};

/// Throws InputError with the number of values that are not finite, if it is above 0.
void require_finite(const std::filesystem::path& path, std::uint64_t not_finite, std::uint64_t values);

/// Writes rows into an existing file. Everything throws std::system_error.
class NpyWriter {
  public:
    NpyWriter(const std::string& name, int nx, int ny);

    void write_header(DType dtype);
    void write(int first, const Field& rows);
    /// Flushes to disk.
    void sync();
    /// Closes the file. Throws, because file systems may report only now what could not be written.
    void close();

  private:
    std::string header_text(DType dtype) const;
    void write_at(std::span<const std::byte> bytes, std::uint64_t offset);

    Descriptor file_;
    int nx_, ny_;
};

/// Atomically writes a file from the rows that `give` delivers and returns its field_hash(). Throws
/// FileError.
std::string write_npy_rows(const std::filesystem::path& path,
                           int nx,
                           int ny,
                           const std::function<void(const RowSink&)>& give);

}  // namespace stencil
