// Draws a report's tables.
#pragma once

#include "sim/examples/report/report.h"

namespace stencil {

/// Takes the rest of the line, and scrolls sideways if that is too narrow, keeping each row's name visible.
void draw_report_rows(const Report& report);
void draw_report_table(const ReportTable& table);

}  // namespace stencil
