#include "sim/session/engine/frame_maker.h"

#include <algorithm>

#include "kernels/view/view.h"
#include "sim/machine/host_memory.h"
#include "sim/model/equations.h"
#include "sim/session/fit_task.h"
#include "sim/session/mosaic.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<SamplePoint> block_points(const CellBlock& block) {
    std::vector<SamplePoint> points;
    for (int y = block.y; y < block.y + block.ny; ++y)
        for (int x = block.x; x < block.x + block.nx; ++x) points.push_back({x + 0.5, y + 0.5});
    return points;
}

double cell_value(const Field& field, SamplePoint at) {
    return field.visit([&](const auto& cells) {
        return double(
            cells.at(std::clamp(int(at.x), 0, cells.nx() - 1), std::clamp(int(at.y), 0, cells.ny() - 1)));
    });
}

}  // namespace

Observable observable_of(Pane pane, const RunSpec& spec) {
    return {formula_of(pane, spec), quantity_of(pane)};
}

// Returns what was measured before if there is no time to measure it again.
template <class Value, class Measure>
const Value& FrameMaker::updated(Cached<Value>& cached, const Moment& moment, const Measure& measure) {
    if (!cached.value || moment.exact || cached.cadence.due())
        cached.cadence.spend([&] { cached.value = measure(); });
    else
        stale_ = true;
    return *cached.value;
}

void FrameMaker::forget() {
    for (KnownRange& known : ranges_) known = {};
    base_ = Base::none;
    base_start_ = nullptr;
    base_solver_ = nullptr;
    histogram_ = {};
    spectrum_.value.reset();
    plane_.value.reset();
    comparison_.value.reset();
    outline_ = {};
    newest_.reset();
}

std::shared_ptr<const Frame> FrameMaker::make(const ViewRequest& request, const Moment& moment) {
    resampling_seconds_ = measuring_seconds_ = 0;
    stale_ = false;
    auto frame = std::make_shared<Frame>();
    frame->serial = request.serial;
    frame->step = moment.simulation->step();
    frame->mid_batch = moment.mid_batch;
    frame->nx = moment.simulation->now().size->nx;
    frame->ny = moment.simulation->now().size->ny;
    const RunSpec& now = moment.simulation->now();
    for (const PaneRequest& pane : request.panes) {
        if (pane.pane == Pane::from_reference && !moment.reference) continue;
        if (pane.pane == Pane::from_bookmark && !moment.bookmark) continue;
        if (pane.pane == Pane::run_b && !moment.run_b) continue;
        if (pane.pane == Pane::mosaic) {
            if (moment.mosaic) add_mosaic(pane, moment, *frame);
            continue;
        }
        if (is_of_fit(pane.pane)) {
            if (moment.fit && moment.fit->has_fields())
                add_fit(pane, moment.fit->pictured(request.fit_target), now, *frame);
            continue;
        }
        const std::string formula = formula_of(pane.pane, now);
        if (formula.empty()) continue;
        PaneImage image = make_pane(pane, moment);
        if (pane.pane == Pane::xt)
            image.pixels = draw_rows(moment, image);
        else
            image.pixels = known_pixels(pane, request.host_pixels, moment.version);
        Simulation& of = pane.pane == Pane::run_b ? *moment.run_b : *moment.simulation;
        if (!image.pixels) image.pixels = resample(pane, request.host_pixels, of);
        frame->panes.push_back(std::move(image));
        if (pane.pane == Pane::from_bookmark) compare(moment, *frame);
    }
    const Pane front = frame->panes.empty() ? Pane::mosaic : frame->panes.front().request.pane;
    if (front != Pane::mosaic && !is_of_fit(front)) {
        const auto begin = Clock::now();
        add_measures(request, moment, *frame);
        if (request.arrows && !now.drawn_arrows().empty())
            frame->arrows = measure_arrows(moment.simulation->solver(), now, now.shown(), *request.arrows);
        if (request.outline && now.draws_outline()) frame->outline = outline_of(*request.outline, moment);
        if (request.plane && now.model->components.size() > 1)
            frame->plane = updated(plane_, moment, [&] {
                return std::make_shared<const PhasePlane>(measure_plane(*moment.simulation, *request.plane));
            });
        measuring_seconds_ += seconds_since(begin);
    }
    if (is_of_fit(front) && request.hover) {
        frame->hover = request.hover;
        frame->hover_value = cell_value(moment.fit->pictured(request.fit_target).target, *request.hover);
    }
    frame->count = ++count_;
    newest_ = frame;
    newest_version_ = moment.version;
    newest_on_host_ = request.host_pixels;
    return frame;
}

void FrameMaker::add_mosaic(const PaneRequest& request, const Moment& moment, Frame& frame) {
    const auto begin = Clock::now();
    frame.panes.push_back(moment.mosaic->picture(request, moment.simulation->now(), moment.exact, pool_));
    frame.step = moment.mosaic->reached();
    stale_ |= !moment.exact;
    resampling_seconds_ += seconds_since(begin);
}

// The run has the colours of the target.
void FrameMaker::add_fit(const PaneRequest& request,
                         const fitting::FieldResidual& shown,
                         const RunSpec& looks,
                         Frame& frame) {
    const auto begin = Clock::now();
    const bool difference = request.pane == Pane::fit_difference;
    const Field& field = difference                         ? shown.difference
                         : request.pane == Pane::fit_target ? shown.target
                                                            : shown.run;
    PaneImage image;
    image.request = request;
    image.formula = shown.formula;
    image.label = difference ? "difference" : value_label(looks, shown.formula);
    image.colormap = difference ? "coolwarm" : std::string(field_colors(looks, shown.formula).name);
    image.range = find_range(difference ? field : shown.target,
                             difference ? RangeRule() : looks.coloring(shown.formula).range,
                             colormap(image.colormap).diverging);
    auto pixels = pool_.take();
    pixels->width = request.resample.width;
    pixels->height = request.resample.height;
    pixels->on_device = false;
    pixels->host.resize(std::size_t(pixels->width) * std::size_t(pixels->height));
    ThreadPool alone(1);
    field.visit([&]<class T>(const Array<T>& cells) {
        const CpuView<T> view{{cells.view(), Boundary::zero, {}}, Quantity::value, alone};
        stencil::resample(view, request.resample, pixels->host.data());
    });
    image.pixels = std::move(pixels);
    frame.panes.push_back(std::move(image));
    frame.nx = shown.target.nx();
    frame.ny = shown.target.ny();
    resampling_seconds_ += seconds_since(begin);
}

// Returns the previous pixels if only other parts of the request changed, such as the mouse position.
std::shared_ptr<const Pixels> FrameMaker::known_pixels(const PaneRequest& request,
                                                       bool on_host,
                                                       std::uint64_t version) const {
    if (!newest_ || newest_version_ != version || newest_on_host_ != on_host) return nullptr;
    const auto known = std::ranges::find(newest_->panes, request, &PaneImage::request);
    return known == newest_->panes.end() ? nullptr : known->pixels;
}

std::shared_ptr<const Pixels> FrameMaker::resample(const PaneRequest& request,
                                                   bool to_host,
                                                   Simulation& simulation) {
    const auto begin = Clock::now();
    auto pixels = pool_.take();
    simulation.solver().resample(
        observable_of(request.pane, simulation.now()), request.resample, to_host, *pixels);
    resampling_seconds_ += seconds_since(begin);
    return pixels;
}

PaneImage FrameMaker::make_pane(const PaneRequest& request, const Moment& moment) {
    if (request.pane == Pane::from_reference)
        set_base(Base::reference, moment);
    else if (request.pane == Pane::from_bookmark)
        set_base(Base::bookmark, moment);
    else if (request.pane == Pane::from_start || request.pane == Pane::start)
        set_base(Base::start, moment);
    PaneImage image;
    image.request = request;
    image.formula = formula_of(request.pane, moment.simulation->now());
    image.label = quantity_label(request.pane, moment.simulation->now());
    image.colormap = colormap_of(request.pane, moment.simulation->now());
    const auto begin = Clock::now();
    // Run B has the colours of the run.
    image.range = range_for(request.pane == Pane::run_b ? Pane::now : request.pane, moment, image.colormap);
    measuring_seconds_ += seconds_since(begin);
    if (quantity_of(request.pane) == Quantity::value || request.pane == Pane::start)
        image.contours = contour_levels(moment.simulation->now().contours, image.range);
    return image;
}

// The colours span all rows.
std::shared_ptr<const Pixels> FrameMaker::draw_rows(const Moment& moment, PaneImage& image) {
    const ResampleRequest& request = image.request.resample;
    const auto begin = Clock::now();
    auto pixels = pool_.take();
    pixels->width = request.width;
    pixels->height = request.height;
    pixels->on_device = false;
    pixels->host.assign(std::size_t(request.width) * std::size_t(request.height), 0);
    if (moment.rows && !moment.rows->empty()) {
        const Field cells(rows_over_time(*moment.rows, request.width, request.height));
        std::ranges::transform(
            cells.values(), pixels->host.begin(), [](double value) { return float(value); });
        const RunSpec& now = moment.simulation->now();
        image.range = find_range(cells, rule_of(Pane::xt, now), colormap(image.colormap).diverging);
    }
    resampling_seconds_ += seconds_since(begin);
    return pixels;
}

void FrameMaker::set_base(Base base, const Moment& moment) {
    Solver& solver = moment.simulation->solver();
    const void* start = moment.simulation->start().get();
    if (base == Base::bookmark) start = moment.bookmark;
    const std::string shown = moment.simulation->now().shown();
    const bool same_solver = base_solver_ == &solver;
    const bool same_start = base_start_ == start && base_shown_ == shown;
    if (base != Base::reference && base_ == base && same_start && same_solver) return;
    if (!same_solver || base_ == Base::none) {
        // The base is a separate array, allocated on first use.
        const auto& spec = moment.simulation->now();
        if (method_of(spec)->device == Device::cpu)
            require_memory({"host memory", sizeof(double), 0, double(query_host_memory().free_bytes)},
                           spec.size->nx,
                           spec.size->ny);
    }
    const auto component = find_component(*moment.simulation->now().model, shown);
    if (base == Base::start && component)
        solver.set_base(*moment.simulation->start(), *component);
    else if (base == Base::start)
        solver.set_base(*moment.simulation->start_of(shown));
    else if (base == Base::bookmark)
        solver.set_base(*moment.simulation->formula_of(*moment.bookmark, shown));
    else
        solver.set_base(moment.reference->solver(), shown);
    base_ = base;
    base_start_ = start;
    base_shown_ = shown;
    base_solver_ = &solver;
}

// Measures the difference while the bookmark is the base.
void FrameMaker::compare(const Moment& moment, Frame& frame) {
    frame.comparison = updated(comparison_, moment, [&] {
        Solver& solver = moment.simulation->solver();
        const Observable all = moment.simulation->shown(Quantity::difference);
        const Statistics difference = solver.statistics(all);
        const double norm = solver.norm(Quantity::base);
        return Comparison{
            norm > 0 ? solver.norm(all) / norm : 0, difference.min, difference.max, difference.mean};
    });
}

ValueRange FrameMaker::range_for(Pane pane, const Moment& moment, const std::string& map) {
    const RangeRule rule = rule_of(pane, moment.simulation->now());
    const bool centred = colormap(map).diverging;
    KnownRange& known = ranges_[std::size_t(pane)];
    // The initial condition never changes.
    const std::uint64_t version = pane == Pane::start ? 1 : moment.version;
    const bool same_question = known.known && known.rule == rule && known.centred == centred;
    if (same_question && known.version == version) return known.range;
    if (same_question && !moment.exact && !known.cadence.due()) {
        stale_ = true;
        return known.range;
    }
    known.cadence.spend([&] {
        const Observable what = observable_of(pane, moment.simulation->now());
        known.range = measure_range(moment.simulation->solver(), what, rule, centred);
    });
    known.rule = rule;
    known.centred = centred;
    known.version = version;
    known.known = true;
    return known.range;
}

// Samples a shape anew only if it may have changed, because its formula is evaluated in all cells.
std::shared_ptr<const ShapeOutline> FrameMaker::outline_of(const ResampleRequest& request,
                                                           const Moment& moment) {
    const RunSpec& now = moment.simulation->now();
    const equation::Equations& equations = *now.model->equations;
    const equation::Dependence& on = equations.graph.depends(*equations.inside);
    const std::uint64_t version = on.time || on.evolving || on.global ? moment.version : 0;
    if (outline_.outline && outline_.request == request && outline_.version == version &&
        outline_.model == now.model && outline_.parameters == now.parameters)
        return outline_.outline;
    Pixels pixels;
    moment.simulation->solver().resample({"inside", Quantity::value}, request, true, pixels);
    const auto inside = [&](int column, int row) {
        return pixels.host[std::size_t(row) * std::size_t(request.width) + std::size_t(column)] >= 0.5F;
    };
    outline_ = {request,
                version,
                now.model,
                now.parameters,
                std::make_shared<const ShapeOutline>(
                    shape_outline(request.area, request.width, request.height, inside))};
    return outline_.outline;
}

void FrameMaker::add_measures(const ViewRequest& request, const Moment& moment, Frame& frame) {
    Solver& solver = moment.simulation->solver();
    const Observable what{frame.panes.front().formula, quantity_of(frame.panes.front().request.pane)};
    if (request.hover) {
        frame.hover = request.hover;
        frame.hover_value = solver.sample(what, {&*request.hover, 1}, false).front();
    }
    if (request.numbers) {
        const auto points = block_points(*request.numbers);
        frame.numbers = Numbers{*request.numbers, solver.sample(what, points, false)};
    }
    for (const ProfileLine& line : request.profiles)
        frame.profiles.push_back(measure_profile(solver, what, line));
    if (request.spectrum)
        frame.spectrum = updated(spectrum_, moment, [&] {
            return std::make_shared<const RadialSpectrum>(
                measure_spectrum(solver, what, moment.simulation->now()));
        });
    if (request.histogram_bins <= 0) return;
    const ValueRange range = frame.panes.front().range;
    frame.histogram = updated(
        histogram_, moment, [&] { return measure_histogram(solver, what, range, request.histogram_bins); });
}

}  // namespace stencil
