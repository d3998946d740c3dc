// The numbers of a sweep's runs, by the names that sweep.csv, sweep.h5, maps and Python have for them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/sweep/sweep.h"

namespace stencil {

/// A number of every run; NaN where a run has none.
struct SweepColumn {
    std::string name;
    std::vector<double> values;
};

/// A number that every run has, by the name of its column.
struct SweepMeasure {
    std::string name;
    std::function<double(const SweptRun&)> value;
};

/// Observables, steps and time reached, statistics by component, wavelength and growth.
std::vector<SweepMeasure> sweep_measures(const SweepSpec& spec);
std::vector<SweepColumn> sweep_columns(const Sweep& sweep);

/// The sweep that observes the formula of its map, if that is no measure. Throws InputError if it is no value
/// of the whole field.
SweepSpec with_map_observed(SweepSpec spec);

/// A row a run: what varies, status, the columns, field_hash.
std::string sweep_csv(const Sweep& sweep);

/// The values of what varies as numbers, or their places where one is no number.
std::vector<double> axis_values(const Vary& vary);

}  // namespace stencil
