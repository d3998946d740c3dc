// A report's tables.
#pragma once

#include "sim/examples/report/report.h"

namespace stencil {

/// As wide as what is left of the line, and scrolled sideways where that is too little: one line a row, which
/// keeps its name in sight.
void draw_report_rows(const Report& report);
void draw_report_table(const ReportTable& table);

}  // namespace stencil
