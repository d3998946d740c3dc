// An example for tests of the code that runs and shows examples: it has options of every kind, and reports
// with every feature. Its numbers are random.
#pragma once

#include "sim/examples/context.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// Its options control what it does: --seconds is its duration (in steps of 5 ms), --fail (none, input,
/// machine or memory) fails after the second row, and its check refuses --rows 13.
const stencil::Example& sample_example();

/// Returns a report with rows on both devices (absent, failed, inexact, lessons), curves, tables, notes, and
/// a point on the first curve (id "l_curve") that depends on "c".
stencil::Report sample_report(Dice& dice);

}  // namespace stencil_test
