// The numbers of a sweep's runs, by the names that sweep.csv, sweep.h5, maps and Python have for them.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/sweep.h"

namespace stencil {

/// A number of every run; NaN where a run has none.
struct SweepColumn {
    std::string name;
    std::vector<double> values;
};

/// Observables, steps and time reached, statistics by component, wavelength and growth.
std::vector<SweepColumn> sweep_columns(const Sweep& sweep);

/// A row a run: what varies, status, the columns, field_hash.
std::string sweep_csv(const Sweep& sweep);

/// The values of what varies as numbers, or their places where one is no number.
std::vector<double> axis_values(const Vary& vary);

}  // namespace stencil
