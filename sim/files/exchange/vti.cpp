// VTK's XML formats by the document "VTK File Formats" (version 1.0, 64-bit headers). This avoids a
// dependency on VTK and its some 180 packages.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kByteOrder =
    std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

std::uint64_t bytes_of(const Field& field) {
    return std::uint64_t(field.size()) * bytes_of(field.dtype());
}

// Names of fields can be formulas with special characters.
std::string head_of(const FieldSet& set) {
    const Field& first = *set.fields.front().field;
    const std::string extent = fmt::format("0 {} 0 {} 0 0", first.nx(), first.ny());
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{0}\" header_type=\"UInt64\">\n"
        "<ImageData WholeExtent=\"{1}\" Origin=\"{4} {5} 0\" Spacing=\"{2} {2} {2}\">\n"
        "<FieldData>\n"
        "<DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">{3}</DataArray>\n",
        kByteOrder,
        extent,
        set.run.dx,
        set.moment.step,
        set.run.x,
        set.run.y);
    if (set.moment.time)
        text += fmt::format(
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
            "{}</DataArray>\n",
            *set.moment.time);
    text += fmt::format("</FieldData>\n<Piece Extent=\"{}\">\n<CellData Scalars=\"{}\">\n",
                        extent,
                        xml_escaped(set.fields.front().name));
    std::uint64_t offset = 0;
    for (const auto& [name, field] : set.fields) {
        text += fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                            field->dtype() == DType::float32 ? "Float32" : "Float64",
                            xml_escaped(name),
                            offset);
        offset += sizeof(std::uint64_t) + bytes_of(*field);
    }
    return text + "</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_";
}

}  // namespace

void write_vti(const std::filesystem::path& path, const FieldSet& set) {
    AtomicFile file(path);
    file.write(head_of(set));
    for (const auto& [name, field] : set.fields) {
        const std::uint64_t bytes = bytes_of(*field);
        file.write(std::as_bytes(std::span(&bytes, 1)));
        field->visit([&](const auto& array) { file.write(std::as_bytes(array.cells())); });
    }
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

void write_pvd(const std::filesystem::path& path, const FieldSeries& series) {
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"{}\">\n"
        "<Collection>\n",
        kByteOrder);
    const bool timed =
        std::ranges::all_of(series.parts, [](const auto& part) { return part.moment.time.has_value(); });
    for (const auto& [name, moment] : series.parts)
        text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n",
                            timed ? *moment.time : double(moment.step),
                            xml_escaped(name));
    write_text_file(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace stencil
