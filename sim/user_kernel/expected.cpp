#include "sim/user_kernel/expected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/run/resolve.h"
#include "sim/run/start.h"

namespace stencil::user_kernel {
namespace {

constexpr Size kSmall{64, 64};

// Returns the distinct values of a component's initial state, and some nearby if it is uniform.
std::vector<double> values_of(const Field& start) {
    const Field exact = start.to(DType::float64);
    const auto cells = exact.as<double>().cells();
    std::vector<double> values(cells.begin(), cells.end());
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::ranges::sort(values);
    const auto [first, last] = std::ranges::unique(values);
    values.erase(first, last);
    if (values.empty()) values.push_back(0);
    if (values.size() == 1)
        for (int i = 1; i <= 64; ++i) values.push_back(values.front() + i / 512.0);
    return values;
}

State make_field(RunSpec run, Size size) {
    run.size = kSmall;
    const State own = make_start(run);
    std::mt19937_64 random(run.seed);
    std::vector<Field> fields;
    for (const Field& component : own.components) {
        const auto values = values_of(component);
        Array<float> cells(size.nx, size.ny);
        for (float& cell : cells.cells()) cell = float(values[random() % values.size()]);
        fields.emplace_back(std::move(cells));
    }
    return {std::move(fields), 0};
}

std::unique_ptr<Solver> solver_of(RunSpec run, Size size, const char* method, DType dtype) {
    run.size = size;
    run.method = method;
    run.backend = "cpu";
    run.dtype = dtype;
    return make_solver(solver_setup(run));
}

}  // namespace

Expected::Expected(const RunSpec& run, Size size)
    : start_(make_field(run, size)),
      reference_(solver_of(run, size, "reference", DType::float64)),
      float32_(solver_of(run, size, "cpu", DType::float32)),
      distance_(start_.components.size()),
      largest_(start_.components.size()) {
    reference_->load(start_);
    float32_->load(start_);
}

void Expected::advance(int steps) {
    reference_->advance(steps);
    float32_->advance(steps);
    right_ = reference_->state();
    const State rounded = float32_->state();
    for (std::size_t c = 0; c < distance_.size(); ++c) {
        const auto right = right_.components[c].as<double>().cells();
        const auto made = rounded.components[c].as<float>().cells();
        for (std::size_t i = 0; i < right.size(); ++i) {
            if (!std::isfinite(right[i])) continue;
            const double distance = std::abs(double(made[i]) - right[i]);
            if (std::isfinite(distance)) distance_[c] = std::max(distance_[c], distance);
            largest_[c] = std::max(largest_[c], std::abs(right[i]));
        }
    }
}

double Expected::tolerance(std::size_t component, DType dtype) const {
    constexpr double kTimes = 16;
    constexpr double kFloat = std::numeric_limits<float>::epsilon();
    const double unit = dtype == DType::float32 ? kFloat : std::numeric_limits<double>::epsilon();
    return kTimes * (distance_[component] / kFloat + largest_[component]) * unit;
}

}  // namespace stencil::user_kernel
