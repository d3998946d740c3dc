// A sweep that is watched: its runs as the tiles of one picture, all at the same step.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/session/engine/cadence.h"
#include "sim/session/tiles.h"
#include "sim/session/view.h"
#include "sim/sweep/sweep.h"

namespace stencil {

class PixelPool;

class Mosaic {
  public:
    /// The runs go to the step at which the base ends; `furthest`: a step that they had reached before they
    /// began again. Throws InputError for a sweep that cannot be, and for more than two parameters.
    Mosaic(SweepSpec sweep, const Machine& machine, long long furthest = 0);

    /// Whether work() has something to do; `running`: the runs go on after the step that they are to reach.
    bool busy(bool running) const;
    /// Begins some runs, or makes some steps in each: `per_frame`, or as many as take about `budget_ms` if
    /// that is 0. Running, they do not pass `most_step`.
    void work(bool running, long long per_frame, double budget_ms, long long most_step = kMaxSteps);

    /// All runs are to go to this step, which none of them has passed.
    void go_to(long long step) { target_ = std::clamp(step, front(), kMaxSteps); }

    /// Whether a sweep has the same runs, and only what colours its tiles is another.
    bool only_colors_differ(const SweepSpec& sweep) const;
    /// Colours the tiles as that sweep, which has the same runs. Throws InputError.
    void color_as(const SweepSpec& sweep);

    /// The step that all runs have reached, or are to reach, and whether they are to reach it.
    long long step() const { return target_; }
    bool catches_up() const { return !level() || (!filled() && target_ > 0); }
    /// The step that all runs have reached, and the step of the run that is furthest.
    long long reached() const;
    long long front() const;
    long long furthest() const { return std::max(furthest_, front()); }
    /// Steps of each run in the newest call of work() that made some.
    long long last_batch() const { return last_batch_; }

    std::shared_ptr<const MosaicTiles> tiles() const;
    /// The visible tiles: the shown quantity of each or, while they are small, what colours them.
    /// `exact`: the colours span the values of this moment, not of one shortly before.
    PaneImage picture(const PaneRequest& request, const RunSpec& looks, bool exact, PixelPool& pool);
    /// Writes the files of `stencilscope sweep` for the present step; returns their paths.
    std::vector<std::filesystem::path> write(const std::filesystem::path& folder, const Machine& machine);
    /// A copy of a run. Throws InputError that says why there is none.
    RunState state_of(std::size_t run);

  private:
    /// What tiles show: as the run shows it, while they have its model.
    std::string shown(const RunSpec& looks) const;
    bool filled() const { return begun_ == sweep_.count(); }
    bool level() const;
    bool colored() const { return !color_.empty(); }
    bool all_observed() const;
    void observe(double most_ms);
    double observe_one(std::size_t run);
    bool shows_pictures(const ResampleRequest& request) const;
    ValueRange observed_range() const;
    void draw_tile(std::size_t run,
                   const RunSpec& looks,
                   const ResampleRequest& request,
                   Pixels& pixels,
                   Pixels& scratch);

    SweepSpec asked_;
    Sweep sweep_;
    int columns_ = 1, rows_ = 1;
    std::unique_ptr<ThreadPool> threads_ = std::make_unique<ThreadPool>(1);  ///< that draw tiles
    long long target_ = 0, steps_ = 1, last_batch_ = 0, furthest_ = 0;
    std::size_t begun_ = 0;
    std::vector<Simulation*> runs_;  ///< null: it has not begun, or could not
    std::string color_;              ///< as color_of()
    /// The measure of the table that colours tiles; empty: a formula does.
    std::function<double(const SweptRun&)> measure_;
    std::vector<double> observed_;
    std::vector<long long> observed_at_;  ///< steps
    std::size_t next_observed_ = 0;
    Cadence ranging_;
    ValueRange range_;                  ///< of the pictures
    std::string colormap_ = "viridis";  ///< of the newest picture
    std::vector<Pixels> scratch_;       ///< per thread
};

}  // namespace stencil
