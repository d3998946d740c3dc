#include "sim/session/mosaic.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/problem/panes.h"
#include "sim/run/resolve.h"
#include "sim/session/engine/frame_maker.h"
#include "sim/sweep/sweep_files.h"
#include "sim/text/error.h"
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

Mosaic::Mosaic(SweepSpec sweep, const Machine& machine)
    : asked_(std::move(sweep)),
      sweep_(without_end(asked_, machine), machine, 1),
      target_(asked_.base.open() ? 0 : asked_.base.steps) {
    if (asked_.listed || asked_.vary.size() > 2)
        throw InputError("a picture of a sweep has one or two axes, and this one varies {} settings",
                         asked_.vary.size());
    sweep_.keeps = true;
    columns_ = int(asked_.vary[0].values.size());
    rows_ = int(sweep_.count()) / columns_;
    runs_.resize(sweep_.count());
    if (colored()) observed_.assign(sweep_.count(), std::numeric_limits<double>::quiet_NaN());
}

bool Mosaic::level() const {
    for (std::size_t i = 0; i < begun_; ++i)
        if (runs_[i] && !sweep_.run(i).ended() && runs_[i]->step() < target_) return false;
    return true;
}

bool Mosaic::busy(bool running) const {
    return running || !filled() || !level() || (colored() && observed_at_ != target_);
}

void Mosaic::work(bool running, long long per_frame, double budget_ms) {
    const bool fills = !filled();
    if (!fills && running && level())
        target_ = std::min(target_ + (per_frame > 0 ? per_frame : steps_), kMaxSteps);
    const long long most = std::max(per_frame, steps_);
    if (fills) {
        sweep_.approach(target_, 0, kBeginAtOnce);
        for (; begun_ < runs_.size() && sweep_.run(begun_).status != "waiting"; ++begun_)
            runs_[begun_] = sweep_.simulation(begun_);
    } else if (!level()) {
        const auto begin = Clock::now();
        sweep_.approach(target_, most, 0);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        const double wished = std::clamp(budget_ms / ms * double(most), 1.0, 2.0 * double(steps_));
        steps_ = static_cast<long long>(wished);
    }
    if (colored() && (!running || observing_.due())) observing_.spend([this] { observe(); });
}

void Mosaic::observe() {
    const std::string& formula = sweep_.spec().observe.front();
    observed_at_ = target_;
    const SamplePoint corner{0.5, 0.5};  // the value is the same in every cell
    for (std::size_t i = 0; i < begun_; ++i)
        if (runs_[i] && !sweep_.run(i).ended())
            observed_[i] = runs_[i]->solver().sample({formula, Quantity::value}, {&corner, 1}, false).front();
}

std::shared_ptr<const MosaicTiles> Mosaic::tiles() const {
    auto tiles = std::make_shared<MosaicTiles>();
    auto sweep = std::make_shared<SweepSpec>(asked_);
    sweep->base.steps = tiles->step = target_;
    tiles->sweep = std::move(sweep);
    tiles->columns = columns_;
    tiles->rows = rows_;
    tiles->tile = *sweep_.resolved().size;
    tiles->begun = begun_;
    tiles->observed = observed_;
    for (std::size_t i = 0; i < runs_.size(); ++i) tiles->status.push_back(sweep_.run(i).status);
    return tiles;
}

std::string Mosaic::shown(const RunSpec& looks) const {
    return looks.model == sweep_.resolved().model ? looks.shown() : sweep_.resolved().shown();
}

void Mosaic::draw_tile(std::size_t run,
                       const RunSpec& looks,
                       const ResampleRequest& request,
                       Pixels& pixels) {
    const Size tile = *sweep_.resolved().size;
    const CellArea& area = request.area;
    const Stretch x = stretch(int(run) % columns_, tile.nx, area.x0, area.x1, request.width),
                  y = stretch(rows_ - 1 - int(run) / columns_, tile.ny, area.y0, area.y1, request.height);
    if (x.count == 0 || y.count == 0) return;
    const bool small = tile.nx * request.width / (area.x1 - area.x0) < kPicturePixels;
    const bool live = runs_[run] && !sweep_.run(run).ended();
    if (live && !(colored() && small))
        runs_[run]->solver().resample({shown(looks), Quantity::value},
                                      {{x.from, y.from, x.to, y.to}, x.count, y.count, request.smooth},
                                      true,
                                      scratch_);
    const float value = live && colored() ? float(observed_[run]) : kNothing;
    for (int row = 0; row < y.count; ++row) {
        float* to = pixels.host.data() + std::size_t(y.first + row) * std::size_t(request.width) + x.first;
        if (live && !(colored() && small))
            std::copy_n(scratch_.host.data() + std::size_t(row) * std::size_t(x.count), x.count, to);
        else
            std::fill_n(to, x.count, value);
    }
}

PaneImage Mosaic::picture(const PaneRequest& request, const RunSpec& looks, bool exact, PixelPool& pool) {
    const ResampleRequest& at = request.resample;
    auto pixels = pool.take();
    pixels->width = at.width;
    pixels->height = at.height;
    pixels->on_device = false;
    pixels->host.assign(std::size_t(at.width) * std::size_t(at.height), kNothing);
    for (std::size_t i = 0; i < runs_.size(); ++i) draw_tile(i, looks, at, *pixels);
    const bool pictures =
        !colored() || sweep_.resolved().size->nx * at.width / (at.area.x1 - at.area.x0) >= kPicturePixels;
    PaneImage image;
    image.request = request;
    image.formula = pictures ? shown(looks) : sweep_.spec().observe.front();
    image.label = pictures ? value_label(looks, image.formula) : image.formula;
    image.colormap = field_colors(looks, shown(looks)).name;
    if (std::exchange(ranged_pictures_, pictures) != pictures) ranging_.reset();
    if (exact || ranging_.due())
        ranging_.spend([&] {
            Array<float> values(at.width, at.height);
            std::ranges::copy(pixels->host, values.cells().begin());
            range_ = find_range(Field(std::move(values)),
                                pictures ? looks.coloring(image.formula).range : RangeRule(),
                                colormap(image.colormap).diverging);
        });
    image.range = range_;
    image.pixels = std::move(pixels);
    return image;
}

std::vector<std::filesystem::path> Mosaic::write(const std::filesystem::path& folder,
                                                 const Machine& machine) {
    SweepSpec spec = asked_;
    spec.base.steps = target_;
    Sweep ended(spec, machine);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        SweptRun run = sweep_.look(i);
        if (!run.ended()) {
            run.status = "done";
            run.ended_by = "steps";
        }
        ended.take(i, std::move(run));
    }
    write_sweep_spec(folder, spec);
    SweepStore store(folder, ended, true);
    for (std::size_t i = 0; i < runs_.size(); ++i) store.add(i, ended.run(i), runs_[i]);
    const std::string fields;  // pictures show them, and no column of the table
    const auto files = parse_sweep_files("csv,png");
    auto written = write_sweep_files(folder, files, {ended, store, fields});
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
