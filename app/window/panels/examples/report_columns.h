// The tables of a report as columns of text, before anything is drawn.
#pragma once

#include <string>
#include <vector>

#include "sim/examples/report/report.h"

namespace stencil {

struct TableColumn {
    std::string title;
    std::string tip;
    bool right = false;  ///< numbers
    std::vector<std::string> cells;
};

/// One line of a table of rows.
struct TableLine {
    enum class Kind { group, measured, absent } kind = Kind::measured;
    const ReportRow* row = nullptr;  ///< of a group: its first
};

/// Rows of the same work and precision one after the other, below a line that names both. Those of which all
/// is said by missing_gpu_text() are left out.
std::vector<TableLine> lines_of(const Report& report);

/// Columns for the lines, whose cells are empty where they are not of measured rows; columns that would be
/// empty altogether are left out. The first one is how it was
/// done.
std::vector<TableColumn> columns_of(const std::vector<TableLine>& lines);

/// The work and precision of the row's group.
std::string group_title(const ReportRow& row);

/// Of one of the report's own tables.
std::vector<TableColumn> columns_of(const ReportTable& table);

/// What sets a row apart: "wrong", "inexact", "lesson"; mostly empty.
std::string mark_of(const ReportRow& row);

/// "cuBLAS (GPU) is 352 times as fast as OpenBLAS (CPU)", with its work and precision before.
std::string speedup_text(const SpeedUp& speedup);

}  // namespace stencil
