#include "sim/code/code_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil {

std::vector<CodeRow> code_rows(const GeneratedCode& code, const ExecutionPath& way) {
    std::vector<CodeRow> rows;
    for (const CodeText& text : code.texts)
        if (text.language == "CUDA") rows.push_back({.name = text.name});
    for (const TriedCode& tried : way.tried) {
        // Resident kernels share one text, whose name is a prefix of the variants'.
        const auto is_its = [&](const CodeRow& row) { return tried.name.starts_with(row.name); };
        auto row = std::ranges::find_if(rows, is_its);
        if (row == rows.end()) row = rows.insert(rows.end(), CodeRow());
        row->name = tried.name;
        row->registers = tried.registers;
        row->spilled_bytes = tried.spilled_bytes;
        row->blocks = tried.blocks;
        row->gcells_per_s = tried.gcells_per_s;
        row->used = tried.used;
    }
    return rows;
}

std::string figures_text(const CodeRow& row) {
    std::vector<std::string> parts;
    if (row.registers) parts.push_back(fmt::format("{} registers", *row.registers));
    if (row.spilled_bytes)
        parts.push_back(*row.spilled_bytes == 0 ? "none spilled"
                                                : fmt::format("{} bytes spilled", *row.spilled_bytes));
    if (row.blocks)
        parts.push_back(fmt::format("{} block{} a multiprocessor", *row.blocks, *row.blocks == 1 ? "" : "s"));
    if (row.gcells_per_s)
        parts.push_back(*row.gcells_per_s > 0 ? fmt::format("{:.4g} GCells/s", *row.gcells_per_s)
                                              : "does not fit the field");
    return parts.empty() ? "not measured" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace stencil
