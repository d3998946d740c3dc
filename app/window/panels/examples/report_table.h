// The tables of a report: columns of text, and how they are drawn.
#pragma once

#include <string>
#include <vector>

#include "sim/examples/report/report.h"

namespace stencil {

struct TableColumn {
    std::string title;
    std::string tip;
    bool right = false;  ///< right-aligned, for numbers
    std::vector<std::string> cells;
};

/// A line of a table of rows.
struct TableLine {
    enum class Kind { group, measured, absent } kind = Kind::measured;
    const ReportRow* row = nullptr;  ///< for a group, its first row
};

/// Groups the rows by work and precision, each group under a title line. Rows whose only message is
/// missing_gpu_text() are left out.
std::vector<TableLine> lines_of(const Report& report);

/// Makes columns for the lines, without those that would be empty; the first is the variant. Cells are empty
/// unless the row was measured.
std::vector<TableColumn> columns_of(const std::vector<TableLine>& lines);

/// Returns the work and precision of the row's group.
std::string group_title(const ReportRow& row);

/// Makes columns for a table of the report's own.
std::vector<TableColumn> columns_of(const ReportTable& table);

/// Returns a remark on the row, "wrong", "inexact" or "lesson"; mostly empty.
std::string mark_of(const ReportRow& row);

/// Takes the rest of the line, and scrolls sideways if that is too narrow, keeping each row's name visible.
void draw_report_rows(const Report& report);
void draw_report_table(const ReportTable& table);

}  // namespace stencil
