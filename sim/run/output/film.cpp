#include "sim/run/output/film.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/figure/figure.h"
#include "sim/files/image.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/run/units.h"
#include "sim/text/error.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"
#include "sim/view/value_range.h"

namespace stencil {

long long film_steps(long long steps) {
    constexpr long long kFrames = 300;
    return std::max(1LL, steps / kFrames);
}

// Checks everything that could fail later before any work is done.
FilmWriter::FilmWriter(FilmRequest request, const RunSpec& spec)
    : request_(std::move(request)), own_ranges_(spec.range_per_frame) {
    check_video_name(request_.file);
    if (const std::string why = why_no_video(); !why.empty())
        throw MachineError(fmt::format("cannot write {}: {}", request_.file.string(), why));
}

void FilmWriter::write(Simulation& simulation) {
    const RunSpec& now = simulation.now();
    const Field field = simulation.field();
    if (!range_ || own_ranges_ || shown_ != now.shown())
        range_ = find_range(field, now.range, field_colors(now).diverging);
    shown_ = now.shown();
    if (request_.figure)
        add_figure(field, simulation);
    else
        add_pixels(field, now);
}

void FilmWriter::add_figure(const Field& field, const Simulation& simulation) {
    if (!video_) video_.emplace(request_.file, VideoInput{0, 0, request_.fps});
    const RunSpec& now = simulation.now();
    // Arrows at the colour bar's ends tell of values beyond the range of an earlier frame.
    const RangeRule same{RangeRule::Kind::fixed, range_->low, range_->high, range_->scale};
    const ValueRange range = find_range(field, same, field_colors(now).diverging);
    std::string title = fmt::format("Step {}", simulation.step());
    if (const std::string time = time_text(simulation.spec(), simulation.step()); !time.empty())
        title += fmt::format(", t = {}", time);
    figure::FigurePanel panel{std::move(title), &field, &field_colors(now), range, now.shown()};
    panel.contours = contour_levels(now.contours, *range_);
    const std::string png = figure::figure_bytes(figure::FigureFormat::png, {&panel, 1}, "");
    video_->add(std::as_bytes(std::span(png)));
}

void FilmWriter::add_pixels(const Field& field, const RunSpec& now) {
    if (!video_) {
        nx_ = field.nx();
        ny_ = field.ny();
        video_.emplace(request_.file, VideoInput{nx_, ny_, request_.fps});
        pixels_.resize(std::size_t(nx_) * std::size_t(ny_));
    }
    if (field.nx() == nx_ && field.ny() == ny_) {
        paint(field, field_colors(now), *range_, pixels_);
    } else {  // the run changed size, the film cannot
        const Field wide = field.to(DType::float64);
        const Field fitted(resample(wide.as<double>(), nx_, ny_, Growing::nearest));
        paint(fitted, field_colors(now), *range_, pixels_);
    }
    video_->add(std::as_bytes(std::span(pixels_)));
}

}  // namespace stencil
