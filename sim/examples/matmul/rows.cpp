#include "sim/examples/matmul/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil::matmul {
namespace {

constexpr MatmulRow kRows[] = {
    {"openblas", "OpenBLAS", Device::cpu},
    {"naive", "naive", Device::cuda, MatmulMethod::naive},
    {"tile", "shared-memory tile", Device::cuda, MatmulMethod::shared_tile},
    {"register", "register tile", Device::cuda, MatmulMethod::register_tile},
    {"cublas", "cuBLAS", Device::cuda, MatmulMethod::library},
    {"tf32", "cuBLAS TF32", Device::cuda, MatmulMethod::tf32, true, false, true},
    {"3xfp16",
     "tensor cores, 3 x FP16, float32-accurate",
     Device::cuda,
     MatmulMethod::half_split,
     true,
     false},
    {"14xint8",
     "tensor cores, 14 x INT8, float64-accurate",
     Device::cuda,
     MatmulMethod::residues,
     false,
     true},
};

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> words;
    for (std::size_t first = 0; first <= list.size();) {
        const std::size_t comma = std::min(list.find(',', first), list.size());
        words.push_back(list.substr(first, comma - first));
        first = comma + 1;
    }
    return words;
}

const MatmulRow& find_row(const std::string& key) {
    const auto row = std::ranges::find(kRows, key, &MatmulRow::key);
    if (row != std::end(kRows)) return *row;
    std::vector<std::string> known{"all"};
    for (const MatmulRow& one : kRows) known.emplace_back(one.key);
    throw InputError("--rows: " + unknown_name_message("row", key, known));
}

bool works(const MatmulRow& row, const ExampleRequest& request) {
    const auto asked = [&](DType dtype) {
        return request.dtypes.empty() || std::ranges::find(request.dtypes, dtype) != request.dtypes.end();
    };
    return (row.float32 && asked(DType::float32)) || (row.float64 && asked(DType::float64));
}

}  // namespace

std::span<const MatmulRow> matmul_rows() {
    return kRows;
}

std::vector<MatmulRow> chosen_matmul_rows(const ExampleRequest& request) {
    const std::string list = request.options.text("rows");
    if (list == "all") return {std::begin(kRows), std::end(kRows)};
    std::vector<MatmulRow> rows;
    for (const std::string& key : split(list)) rows.push_back(find_row(key));
    if (std::ranges::none_of(rows, [&](const MatmulRow& row) { return works(row, request); }))
        throw InputError(
            fmt::format("--rows {}: none of them works in {} alone", list, name_of(request.dtypes.front())));
    return rows;
}

}  // namespace stencil::matmul
