#include "sim/session/mosaic.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/problem/panes.h"
#include "sim/run/batch.h"
#include "sim/run/resolve.h"
#include "sim/session/engine/frame_maker.h"
#include "sim/session/tile_colors.h"
#include "sim/sweep/sweep_files.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBeginAtOnce = 64;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// All runs go on as long as they are watched, so `auto` is the method for a frame.
SweepSpec without_end(SweepSpec sweep, const Machine& machine) {
    constexpr long long kLikelySteps = 100;
    static_cast<Ending&>(sweep.base) = {kMaxSteps};
    sweep.base.edits = {};
    sweep.base.dt_log = {};
    const RunSpec decided = resolve(sweep.base, machine, kLikelySteps);
    if (decided.is_general()) return sweep;  // has one method, by which a GPU may step all runs together
    sweep.base.method = decided.method;
    sweep.base.backend = decided.backend;
    return sweep;
}

// The pixels whose centres lie in a tile, along one axis.
struct Stretch {
    int first = 0, count = 0;
    double from = 0, to = 0;  ///< what they cover, in cells of the tile
};
Stretch stretch(int tile, int cells, double low, double high, int pixels) {
    const double scale = pixels / (high - low), begin = double(tile) * cells;
    const auto pixel = [&](double cell) {
        return int(std::clamp(std::ceil((cell - low) * scale - 0.5), 0.0, double(pixels)));
    };
    const int first = pixel(begin), last = pixel(begin + cells);
    return {first, last - first, low + first / scale - begin, low + last / scale - begin};
}

}  // namespace

Mosaic::Mosaic(SweepSpec sweep, const Machine& machine, long long furthest)
    : asked_(std::move(sweep)),
      sweep_(without_end(asked_, machine), machine, 1),
      target_(asked_.base.open() ? 0 : asked_.base.steps),
      furthest_(furthest) {
    if (asked_.listed || asked_.vary.size() > 2)
        throw InputError("a picture of a sweep has one or two axes, and this one varies {} settings",
                         asked_.vary.size());
    sweep_.keeps = true;
    columns_ = int(asked_.vary[0].values.size());
    rows_ = int(sweep_.count()) / columns_;
    runs_.resize(sweep_.count());
    // Runs on a device share it.
    if (sweep_.resolved().backend == "cpu")
        threads_ = std::make_unique<ThreadPool>(
            batch_threads(asked_.base.threads, machine.cpu_threads, sweep_.count()));
    color_as(asked_);
}

bool Mosaic::only_colors_differ(const SweepSpec& sweep) const {
    if (sweep.map == asked_.map && sweep.observe == asked_.observe) return false;
    SweepSpec mine = asked_;
    mine.base.steps = sweep.base.steps;
    mine.map = sweep.map;
    mine.observe = sweep.observe;
    return to_json(mine) == to_json(sweep);
}

void Mosaic::color_as(const SweepSpec& sweep) {
    SweepSpec next = asked_;
    next.map = sweep.map;
    next.observe = sweep.observe;
    with_map_observed(next);  // throws
    asked_ = std::move(next);
    color_ = color_of(asked_);
    measure_ = nullptr;
    // Formulas need no statistics of the whole run.
    for (SweepMeasure& one : sweep_measures(asked_))
        if (one.name == color_ && !contains(asked_.observe, color_)) measure_ = std::move(one.value);
    observed_.assign(colored() ? sweep_.count() : 0, kNoNumber);
    observed_at_.assign(observed_.size(), -1);
}

bool Mosaic::level() const {
    for (std::size_t i = 0; i < begun_; ++i)
        if (runs_[i] && !sweep_.run(i).ended() && runs_[i]->step() < target_) return false;
    return true;
}

long long Mosaic::reached() const {
    if (!filled()) return 0;
    long long least = target_;
    for (std::size_t i = 0; i < runs_.size(); ++i)
        if (runs_[i] && !sweep_.run(i).ended()) least = std::min(least, runs_[i]->step());
    return least;
}

long long Mosaic::front() const {
    long long most = 0;
    for (std::size_t i = 0; i < begun_; ++i)
        if (runs_[i] && !sweep_.run(i).ended()) most = std::max(most, runs_[i]->step());
    return most;
}

bool Mosaic::all_observed() const {
    return !colored() ||
           std::ranges::all_of(observed_at_, [this](long long step) { return step >= target_; });
}

bool Mosaic::busy(bool running) const {
    return running || !filled() || !level() || !all_observed();
}

void Mosaic::work(bool running, long long per_frame, double budget_ms, long long most_step) {
    const bool fills = !filled();
    if (!fills && running && level())
        target_ = std::min(target_ + (per_frame > 0 ? per_frame : steps_), most_step);
    const long long most = std::max(per_frame, steps_);
    if (fills) {
        sweep_.approach(target_, 0, kBeginAtOnce);
        for (; begun_ < runs_.size() && sweep_.run(begun_).status != "waiting"; ++begun_)
            runs_[begun_] = sweep_.simulation(begun_);
    } else if (!level()) {
        const auto begin = Clock::now();
        last_batch_ = std::min(most, target_ - reached());
        sweep_.approach(target_, most, 0);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        const double wished = std::clamp(budget_ms / ms * double(most), 1.0, 2.0 * double(steps_));
        steps_ = static_cast<long long>(wished);
    }
    if (colored()) observe(running ? budget_ms / 4 : budget_ms);
}

// Observes as many runs as there is time for, those first whose turn it is.
void Mosaic::observe(double most_ms) {
    const auto begin = Clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    };
    for (std::size_t looked = 0; looked < begun_ && spent() < most_ms; ++looked) {
        const std::size_t run = next_observed_++ % begun_;
        if (observed_at_[run] >= target_) continue;
        const bool live = runs_[run] && !sweep_.run(run).ended();
        if (live) observed_[run] = observe_one(run);
        observed_at_[run] = live ? runs_[run]->step() : kMaxSteps;
    }
}

double Mosaic::observe_one(std::size_t run) {
    if (measure_) return measure_(sweep_.look(run));
    const SamplePoint corner{0.5, 0.5};  // the value is the same in every cell
    return runs_[run]->solver().sample({color_, Quantity::value}, {&corner, 1}, false).front();
}

ValueRange Mosaic::observed_range() const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : observed_)
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    return color_range(low, high, Scale::linear, false);
}

std::shared_ptr<const MosaicTiles> Mosaic::tiles() const {
    auto tiles = std::make_shared<MosaicTiles>();
    auto sweep = std::make_shared<SweepSpec>(asked_);
    sweep->base.steps = target_;
    tiles->step = reached();
    tiles->furthest = std::max(furthest(), tiles->step);
    tiles->sweep = std::move(sweep);
    tiles->columns = columns_;
    tiles->rows = rows_;
    tiles->tile = *sweep_.resolved().size;
    tiles->begun = begun_;
    tiles->way = sweep_.way();
    tiles->color = color_;
    tiles->observed = observed_;
    tiles->observed_range = observed_range();
    for (std::size_t i = 0; i < runs_.size(); ++i) tiles->status.push_back(sweep_.run(i).status);
    return tiles;
}

std::string Mosaic::shown(const RunSpec& looks) const {
    return looks.model == sweep_.resolved().model ? looks.shown() : sweep_.resolved().shown();
}

void Mosaic::draw_tile(
    std::size_t run, const RunSpec& looks, const ResampleRequest& request, Pixels& pixels, Pixels& scratch) {
    const Size tile = *sweep_.resolved().size;
    const CellArea& area = request.area;
    const Stretch x = stretch(int(run) % columns_, tile.nx, area.x0, area.x1, request.width),
                  y = stretch(rows_ - 1 - int(run) / columns_, tile.ny, area.y0, area.y1, request.height);
    if (x.count == 0 || y.count == 0) return;
    const bool live = runs_[run] && !sweep_.run(run).ended(), pictured = live && shows_pictures(request);
    if (pictured)
        runs_[run]->solver().resample({shown(looks), Quantity::value},
                                      {{x.from, y.from, x.to, y.to}, x.count, y.count, request.smooth},
                                      true,
                                      scratch);
    const float value = live && colored() ? float(observed_[run]) : kNothing;
    for (int row = 0; row < y.count; ++row) {
        float* to = pixels.host.data() + std::size_t(y.first + row) * std::size_t(request.width) + x.first;
        if (pictured)
            std::copy_n(scratch.host.data() + std::size_t(row) * std::size_t(x.count), x.count, to);
        else
            std::fill_n(to, x.count, value);
    }
}

bool Mosaic::shows_pictures(const ResampleRequest& request) const {
    const double side = sweep_.resolved().size->nx * request.width / (request.area.x1 - request.area.x0);
    return !colored() || side >= kPicturePixels;
}

PaneImage Mosaic::picture(const PaneRequest& request, const RunSpec& looks, bool exact, PixelPool& pool) {
    const ResampleRequest& at = request.resample;
    if (exact && colored()) observe(std::numeric_limits<double>::infinity());
    auto pixels = pool.take();
    pixels->width = at.width;
    pixels->height = at.height;
    pixels->on_device = false;
    pixels->host.assign(std::size_t(at.width) * std::size_t(at.height), kNothing);
    const auto parts = std::size_t(threads_->size());
    scratch_.resize(parts);
    const auto failures = for_each_apart(parts, *threads_, [&](std::size_t part) {
        for (std::size_t i = part; i < runs_.size(); i += parts)
            draw_tile(i, looks, at, *pixels, scratch_[part]);
    });
    for (const std::string& why : failures)
        if (!why.empty()) throw std::runtime_error(why);
    const bool pictures = shows_pictures(at);
    PaneImage image;
    image.request = request;
    image.formula = pictures ? shown(looks) : color_;
    image.label = pictures ? value_label(looks, image.formula) : color_;
    image.colormap = colormap_ = field_colors(looks, shown(looks)).name;
    if (pictures && (exact || ranging_.due()))
        ranging_.spend([&] {
            Array<float> values(at.width, at.height);
            std::ranges::copy(pixels->host, values.cells().begin());
            range_ = find_range(
                Field(std::move(values)), looks.coloring(image.formula).range, colormap(colormap_).diverging);
        });
    image.range = pictures ? range_ : observed_range();
    if (!pictures) image.colormap = number_colormap(colormap_);
    image.pixels = std::move(pixels);
    return image;
}

std::vector<std::filesystem::path> Mosaic::write(const std::filesystem::path& folder,
                                                 const Machine& machine) {
    SweepSpec spec = with_map_observed(asked_);
    spec.base.steps = target_;
    Sweep ended(spec, machine);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        SweptRun run = sweep_.look(i);
        // The map may be another one than when the runs began.
        run.observed.clear();
        for (const std::string& formula : spec.observe)
            if (runs_[i])
                run.observed.push_back(runs_[i]->solver().sample(formula, {{{0.5, 0.5}}}, false).front());
        if (!run.ended()) {
            run.status = "done";
            run.ended_by = "steps";
        }
        ended.take(i, std::move(run));
    }
    write_sweep_spec(folder, spec);
    SweepStore store(folder, ended, true);
    std::vector<std::size_t> all(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        all[i] = i;
        if (runs_[i] && !ended.run(i).field_hash.empty()) store.add_fields(i, *runs_[i]);
    }
    store.add(ended, all);
    const auto files = parse_sweep_files("csv,png");
    auto written = write_sweep_files(folder, files, {ended, store, spec.map});
    store.finish(false);
    return written;
}

RunState Mosaic::state_of(std::size_t run) {
    if (run >= runs_.size()) throw InputError("the sweep has no run {}", run);
    const std::string& status = sweep_.run(run).status;
    if (!runs_[run] || sweep_.run(run).ended())
        throw InputError("the run with {} cannot be opened: {}", sweep_.spec().name(run), status);
    return runs_[run]->state();
}

}  // namespace stencil
