// An example for tests of whatever runs and shows examples: options of every kind, and a report with
// everything that a report can hold. Its numbers are made up, and differ from run to run.
#pragma once

#include "sim/examples/context.h"
#include "sim/text/json.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// A row that names what it is asked for in its options: --seconds it takes (in steps of 5 ms), --fail none,
/// input, machine or memory after its second row, and a check that refuses --rows 13.
const stencil::Example& sample_example();

/// The same under another name and with few options, for what lists several.
const stencil::Example& plain_example();

/// Rows of both sides (absent, failed, inexact, lessons), curves, tables, notes and a point on the first
/// curve (id "l_curve") that moves with "c".
stencil::Report sample_report(Dice& dice);

}  // namespace stencil_test
