#include "sim/user_kernel/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/user_kernel/expected.h"

namespace stencil::user_kernel {
namespace {

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
    SizeCheck(
        Launcher<T>& launcher, const Entry& entry, const LaunchShape& launch, const RunSpec& run, Size size)
        : launcher_(launcher),
          entry_(entry),
          launch_(launch),
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
        launcher_.launch(shape_, after, to, steps, double(step_) * dt_);
        for (std::size_t c = 0; c < to.size(); ++c) {
            const Outcome<T> outcome = outcome_of(c, after[c], to[c]);
            if (std::string fault = outcome.fault(); !fault.empty()) return fault;
            if (expected_.largest(c) > 0)
                error_ = std::max(error_, outcome.largest_error() / expected_.largest(c));
        }
        constexpr int kAgain = 3;
        for (int i = 0; i < kAgain; ++i) {
            auto source = from_, again = unwritten();
            launcher_.launch(shape_, source, again, steps, double(step_) * dt_);
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
                launch_.tile_x,
                launch_.tile_y,
                from_.size() > 1 ? entry_.components[c] : "",
                entry_.boundary};
    }

    Launcher<T>& launcher_;
    const Entry& entry_;
    const LaunchShape& launch_;
    double dt_;
    GuardedShape shape_;
    Expected expected_;
    std::vector<Cells<T>> from_;
    long long step_ = 0;
    double error_ = 0;
};

}  // namespace

template <class T>
Check check_kernel(Launcher<T>& launcher,
                   const Entry& entry,
                   const LaunchShape& shape,
                   const RunSpec& run,
                   const std::function<void(const std::string&)>& alive) {
    Check check;
    const auto sizes = sizes_for(shape);
    for (const Size size : sizes) {
        SizeCheck<T> one(launcher, entry, shape, run, size);
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

template Check check_kernel<float>(Launcher<float>&,
                                   const Entry&,
                                   const LaunchShape&,
                                   const RunSpec&,
                                   const std::function<void(const std::string&)>&);
template Check check_kernel<double>(Launcher<double>&,
                                    const Entry&,
                                    const LaunchShape&,
                                    const RunSpec&,
                                    const std::function<void(const std::string&)>&);

}  // namespace stencil::user_kernel
