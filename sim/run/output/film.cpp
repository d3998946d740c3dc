#include "sim/run/output/film.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/figure/figure.h"
#include "sim/files/image.h"
#include "sim/problem/panes.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr FilmRange kFilmRanges[] = {
    {"canvas", "As on the canvas: --range anew for each frame"},
    {"frame", "A range for each frame, from its smallest to its largest value"},
    {"first", "The first frame's range for all"}};

// The number of frames of a film of a given length; 0: its length is open.
long long frames_of(const FilmRequest& request) {
    return request.seconds > 0 ? std::max(1LL, std::llround(request.seconds * request.fps)) : 0;
}

// Spreads a picture of columns x rows in place over rows of nx pixels, and repeats its last column and row.
void repeat_edges(std::vector<Rgb>& pixels, int columns, int rows, int nx) {
    if (nx != columns)
        for (int y = rows - 1; y >= 0; --y) {
            const auto from = pixels.begin() + std::ptrdiff_t(y) * columns;
            const auto to = pixels.begin() + std::ptrdiff_t(y) * nx;
            std::copy_backward(from, from + columns, to + columns);
            to[columns] = to[columns - 1];
        }
    for (std::size_t i = std::size_t(rows) * std::size_t(nx); i < pixels.size(); ++i)
        pixels[i] = pixels[i - std::size_t(nx)];
}

}  // namespace

std::span<const FilmRange> film_ranges() {
    return kFilmRanges;
}

std::string read_film_range(const std::string& text) {
    if (text.find(':') != text.npos)
        parse_range(text, "video-range");
    else if (std::ranges::find(kFilmRanges, text, &FilmRange::name) == std::end(kFilmRanges))
        throw InputError(Given{"video-range", quotable(text)},
                         "allowed: {} or MIN:MAX",
                         fmt::join(names_of(film_ranges()), ", "));
    return text;
}

Size read_film_size(const std::string& text) {
    const auto parts = split(text, 'x');
    const auto side = [&](const std::string& part) {
        return int(parse_integer(part, "video-size", kLeastFilmSide, kMostFilmSide));
    };
    if (parts.size() != 2) throw InputError(Given{"video-size", text}, "must be WIDTHxHEIGHT, e.g. 1280x720");
    const Size size{side(parts[0]), side(parts[1])};
    if (size.nx % 2 != 0 || size.ny % 2 != 0)
        throw InputError(Given{"video-size", text}, "players need even numbers of pixels");
    return size;
}

void check_film(const FilmRequest& request) {
    check_video_name(request.file);
    read_film_range(request.range);
    if (const std::string why = why_no_video(); !why.empty())
        throw MachineError("cannot write {}: {}", request.file.string(), why);
}

FilmPace film_pace(const FilmRequest& request,
                   const RunClock& begin,
                   const Ending& end,
                   const Interval& every) {
    constexpr long long kFrames = 300;
    const bool by_time = end.time && end.open();
    FilmPace pace{every, begin.step, frames_of(request), end.steps};
    if (end.open() && !end.time && (pace.count > 0 || !every.given()))
        throw InputError(Given{"video"},
                         "nothing says how long the run is: give --every, or --time or --steps beside "
                         "--until");
    if (by_time) pace.from = begin.time, pace.to = *end.time;
    if (pace.count > 0 || every.given()) return pace;
    if (by_time)
        pace.every = Interval::of_time(std::max((*end.time - begin.time) / kFrames, begin.dt));
    else
        pace.every = std::max(1LL, (end.steps - begin.step) / kFrames);
    return pace;
}

// Checks everything that could fail later before any work is done.
FilmWriter::FilmWriter(FilmRequest request, const FilmPace& pace)
    : request_(std::move(request)), pace_(pace) {
    check_film(request_);
    if (request_.range.find(':') != request_.range.npos) fixed_ = parse_range(request_.range, "video-range");
    if (const long long frames = frames_of(request_); frames > 0) most_ = frames;
}

long long FilmPace::step_of(long long frame) const {
    if (count <= 1) return first;
    if (frame >= count - 1) return last;
    return first + static_cast<long long>(double(last - first) * double(frame) / double(count - 1));
}

double FilmPace::time_of(long long frame) const {
    return frame >= count - 1 ? to : from + (to - from) * double(frame) / double(count - 1);
}

// If there are more frames than steps, a step has several.
long long FilmWriter::due(const RunClock& clock) const {
    if (full()) return 0;
    const long long step = clock.step;
    if (pace_.count == 0) return step == pace_.first || falls_on(pace_.every, clock) ? 1 : 0;
    const auto is_past = [&](long long frame) {
        return pace_.to > 0 ? is_at(clock.time, pace_.time_of(frame), clock.dt)
                            : pace_.step_of(frame) <= step;
    };
    long long times = 0;
    while (frames_ + times < pace_.count && is_past(frames_ + times)) ++times;
    return times;
}

Due FilmWriter::next(const RunClock& clock) const {
    if (full()) return {};
    if (pace_.count == 0) return next_multiple(pace_.every, clock);
    if (pace_.to > 0) return {.time = pace_.time_of(frames_)};
    return {std::max(clock.step + 1, pace_.step_of(frames_))};
}

Observer FilmWriter::observer() {
    return {[this](const RunClock& clock) { return next(clock); },
            [this](Simulation& simulation) { look(simulation); }};
}

void FilmWriter::look(Simulation& simulation) {
    const long long times = due(clock_of(simulation));
    if (times == 0) return;
    const Field field = simulation.field();
    const Look look = look_of(field, simulation);
    for (long long i = 0; i < times; ++i) draw(field, look);
    frames_ += times;
}

FilmWriter::Look FilmWriter::look_of(const Field& field, Simulation& simulation) {
    const RunSpec& now = simulation.now();
    Look look;
    look.colors = &field_colors(now);
    look.formula = now.shown();
    look.label = value_label(now, look.formula);
    look.contours = now.contours;
    if (request_.figure) look.title = title_of(simulation);
    if (request_.figure) look.axes = figure_axes(now);
    if (request_.figure && now.draws_outline())
        look.outline = shape_outline(simulation.solver().field(std::string("inside")));
    const RangeRule& own = now.coloring(look.formula).range;
    RangeRule range = fixed_.value_or(own);
    if (request_.range == "frame") range = {RangeRule::Kind::automatic, 0, 0, own.scale};
    const bool first = request_.range == "first";
    if (first && range_ && shown_ == look.formula)
        range = {RangeRule::Kind::fixed, range_->low, range_->high, range_->scale};
    look.range = find_range(field, range, look.colors->diverging);
    if (first && (!range_ || shown_ != look.formula)) range_ = look.range;
    shown_ = look.formula;
    return look;
}

std::string FilmWriter::title_of(const Simulation& simulation) const {
    const std::string time = time_text(simulation.spec(), simulation.step());
    return fmt::format("Step {}{}{}", simulation.step(), time.empty() ? "" : ", t = ", time);
}

void FilmWriter::finish() {
    if (!video_) throw MachineError("cannot write {}: it would have no frame", path().string());
    video_->finish();
}

void FilmWriter::draw(const Field& field, const Look& look) {
    if (request_.figure)
        draw_figure(field, look);
    else
        draw_pixels(field, look);
}

void FilmWriter::draw_figure(const Field& field, const Look& look) {
    if (!video_)
        video_.emplace(request_.file, VideoInput{0, 0, request_.fps, request_.width, request_.height});
    figure::FigurePanel panel{look.title, &field, look.colors, look.range, look.label};
    panel.axes = look.axes;
    figure::add_contours(panel, look.contours);
    figure::add_outline(panel, look.outline);
    const std::string png = figure::figure_bytes(figure::FigureFormat::png, {&panel, 1}, "");
    video_->add(std::as_bytes(std::span(png)));
}

void FilmWriter::draw_pixels(const Field& field, const Look& look) {
    if (!video_) {
        columns_ = nx_ = field.nx();
        rows_ = ny_ = field.ny();
        if (request_.width == 0 && video_enlargement(nx_, ny_) == 1) {  // players expect even sides
            nx_ += nx_ % 2;
            ny_ += ny_ % 2;
        }
        video_.emplace(request_.file, VideoInput{nx_, ny_, request_.fps, request_.width, request_.height});
        pixels_.resize(std::size_t(nx_) * std::size_t(ny_));
    }
    if (field.nx() == columns_ && field.ny() == rows_) {
        paint(field, *look.colors, look.range, pixels_);
    } else {  // the run changed size, the film cannot
        const Field wide = field.to(DType::float64);
        const Field fitted(resample(wide.as<double>(), columns_, rows_, Growing::nearest));
        paint(fitted, *look.colors, look.range, pixels_);
    }
    repeat_edges(pixels_, columns_, rows_, nx_);
    video_->add(std::as_bytes(std::span(pixels_)));
}

}  // namespace stencil
