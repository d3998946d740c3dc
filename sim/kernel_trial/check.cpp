#include "sim/kernel_trial/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "sim/problem/start.h"
#include "sim/solvers/solver.h"

namespace stencil::user_kernel {
namespace {

constexpr Size kSmall{64, 64};

// Returns the distinct values of a component's initial state, with some nearby values if it is uniform.
std::vector<double> values_of(const Field& start) {
    const Field exact = start.to(DType::float64);
    const auto cells = exact.as<double>().cells();
    std::vector<double> values(cells.begin(), cells.end());
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
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

// The reference solution, from an initial field that reveals faults.
class Expected {
  public:
    // Starts from random cells, also at the edges, with values of the model's own start; all are floats.
    Expected(const RunSpec& run, Size size)
        : start_(make_field(run, size)),
          reference_(solver_of(run, size, "reference", DType::float64)),
          float32_(solver_of(run, size, "cpu", DType::float32)),
          distance_(start_.components.size()),
          largest_(start_.components.size()) {
        reference_->load(start_);
        float32_->load(start_);
    }

    // Advances the state that `right` returns.
    void advance(int steps) {
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

    const State& start() const { return start_; }
    const Array<double>& right(std::size_t component) const {
        return right_.components[component].as<double>();
    }
    // Returns the allowed error: several times the error of this program's float32 run, scaled to the
    // precision.
    double tolerance(std::size_t component, DType dtype) const {
        constexpr double kTimes = 16;
        constexpr double kFloat = std::numeric_limits<float>::epsilon();
        const double unit = dtype == DType::float32 ? kFloat : std::numeric_limits<double>::epsilon();
        return kTimes * (distance_[component] / kFloat + largest_[component]) * unit;
    }
    double largest(std::size_t component) const { return largest_[component]; }

  private:
    State start_, right_;
    std::unique_ptr<Solver> reference_, float32_;
    std::vector<double> distance_;  // error of the float32 run, by component
    std::vector<double> largest_;   // largest |value| so far
};

// Multiples of the blocks first: a kernel that fails only on other sizes mishandles the field's ends.
std::vector<Size> sizes_for(const LaunchShape& shape) {
    const auto two_tiles = [](int tile) { return tile <= 256 ? 2 * tile : tile; };
    return {{two_tiles(shape.tile_x), two_tiles(shape.tile_y)},
            {37, 53},
            {129, 67},
            {1000, 3},
            {3, 301},
            {2, 2},
            {1, 1}};
}

// Checks one size over several launches.
template <class T>
class SizeCheck {
  public:
    SizeCheck(const Launch<T>& launch,
              const Entry& entry,
              const LaunchShape& launch_shape,
              const RunSpec& run,
              Size size)
        : launch_(launch),
          entry_(entry),
          launch_shape_(launch_shape),
          dt_(run.time_step()),
          shape_(size.nx, size.ny),
          expected_(run, size) {
        for (const Field& field : expected_.start().components)
            from_.push_back(guarded_cells<T>(shape_, field.to(dtype_of<T>).template as<T>()));
    }

    /// Makes a launch; returns the fault, if any.
    std::string advance(int steps) {
        expected_.advance(steps);
        auto after = from_, to = unwritten();
        launch_(shape_, after, to, steps, double(step_) * dt_);
        for (std::size_t c = 0; c < to.size(); ++c) {
            const Outcome<T> outcome = outcome_of(c, after[c], to[c]);
            if (std::string fault = outcome.fault(); !fault.empty()) return fault;
            if (expected_.largest(c) > 0)
                error_ = std::max(error_, outcome.largest_error() / expected_.largest(c));
        }
        constexpr int kAgain = 3;
        for (int i = 0; i < kAgain; ++i) {
            auto source = from_, again = unwritten();
            launch_(shape_, source, again, steps, double(step_) * dt_);
            for (std::size_t c = 0; c < to.size(); ++c)
                if (std::string difference = outcome_of(c, source[c], to[c]).difference(again[c]);
                    !difference.empty())
                    return difference;
        }
        from_ = std::move(to);
        step_ += steps;
        return "";
    }

    double error() const { return error_; }

  private:
    std::vector<Cells<T>> unwritten() const {
        return std::vector<Cells<T>>(from_.size(), unwritten_cells<T>(shape_));
    }

    Outcome<T> outcome_of(std::size_t c, const Cells<T>& after, const Cells<T>& to) const {
        return {shape_,
                from_[c],
                after,
                to,
                expected_.right(c),
                expected_.tolerance(c, dtype_of<T>),
                launch_shape_.tile_x,
                launch_shape_.tile_y,
                from_.size() > 1 ? entry_.components[c] : "",
                entry_.boundary};
    }

    const Launch<T>& launch_;
    const Entry& entry_;
    const LaunchShape& launch_shape_;
    double dt_;
    GuardedShape shape_;
    Expected expected_;
    std::vector<Cells<T>> from_;
    long long step_ = 0;
    double error_ = 0;
};

}  // namespace

template <class T>
Check check_kernel(const Launch<T>& launch,
                   const Entry& entry,
                   const LaunchShape& shape,
                   const RunSpec& run,
                   const std::function<void(const std::string&)>& alive) {
    Check check;
    const auto sizes = sizes_for(shape);
    for (const Size size : sizes) {
        SizeCheck<T> one(launch, entry, shape, run, size);
        int done = 0;
        for (const int steps : {shape.steps, shape.steps, 1}) {
            done += steps;
            const std::string where = fmt::format("on {}x{} cells, step {}{}",
                                                  size.nx,
                                                  size.ny,
                                                  steps > 1 ? fmt::format("{} to ", done - steps + 1) : "",
                                                  done);
            alive(where);
            check.fault = one.advance(steps);
            if (check.fault.empty()) continue;
            check.fault = fmt::format("{}: {}", where, check.fault);
            if (check.sizes > 0)
                check.fault +=
                    fmt::format(" ({}x{} cells came out right)", sizes.front().nx, sizes.front().ny);
            return check;
        }
        check.error = std::max(check.error, one.error());
        ++check.sizes;
    }
    return check;
}

template Check check_kernel<float>(const Launch<float>&,
                                   const Entry&,
                                   const LaunchShape&,
                                   const RunSpec&,
                                   const std::function<void(const std::string&)>&);
template Check check_kernel<double>(const Launch<double>&,
                                    const Entry&,
                                    const LaunchShape&,
                                    const RunSpec&,
                                    const std::function<void(const std::string&)>&);

}  // namespace stencil::user_kernel
