#include "app/window/canvas_view.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

// At least so many pixels of the field stay on a canvas of four times as many.
constexpr double kStays = 32;

// At 2^30, the largest coordinate, a double is rounded by 2^-22 of a cell: at most 2^-14 of a pixel.
constexpr double kPixelRounding = 1e-3;

double whole_if_near(double value, double tolerance) {
    const double whole = std::round(value);
    return std::abs(value - whole) <= tolerance ? whole : value;
}

/// Returns the cell coordinate of a pixel's edge. If the edges coincide, rounding is removed, which would
/// otherwise include the next cell.
double cell_of_edge(double origin, double scale, double pixel) {
    const double cell = origin + pixel / scale;
    const double noise = 1e-12 * (std::abs(origin) + std::abs(pixel / scale));
    return whole_if_near(cell, std::min(noise, kPixelRounding / 2 / scale));
}

/// Pixels [first, last) along one axis, counted from the canvas' corner.
struct PixelSpan {
    double first = 0, last = 0;
};

PixelSpan pixels_of(double origin, double scale, int cells) {
    const double low = -origin * scale;
    const double high = (cells - origin) * scale;
    PixelSpan span{std::ceil(low - 0.5), std::ceil(high - 0.5)};
    if (span.last <= span.first) {
        span.first = std::floor((low + high) / 2);
        span.last = span.first + 1;
    }
    return span;
}

double fitting_scale(const ScreenRect& canvas, FieldSize field) {
    return std::min(std::max(canvas.width, 1.0) / field.nx, std::max(canvas.height, 1.0) / field.ny);
}

/// Returns the origin along one axis that centres the field on the canvas.
double centred_origin(double pixels, double scale, int cells) {
    const double shown = std::max(1.0, std::round(cells * scale));
    return -std::floor((std::max(pixels, 1.0) - shown) / 2) / scale;
}

/// Clamps the origin so that enough of the field stays on the canvas.
double held_origin(double origin, double scale, int cells, double pixels) {
    const double stays = std::max(1.0, std::min(kStays, std::floor(pixels / 4)));
    const double least = -(std::max(pixels, 1.0) - stays) / scale;
    return std::clamp(origin, least, std::max(least, cells - stays / scale));
}

}  // namespace

ScreenRect intersection(const ScreenRect& a, const ScreenRect& b) {
    const double x0 = std::max(a.x, b.x);
    const double y0 = std::max(a.y, b.y);
    const double x1 = std::min(a.x + a.width, b.x + b.width);
    const double y1 = std::min(a.y + a.height, b.y + b.height);
    return {x0, y0, std::max(0.0, x1 - x0), std::max(0.0, y1 - y0)};
}

CanvasView fit_view(const ScreenRect& canvas, FieldSize field) {
    const double scale = fitting_scale(canvas, field);
    return {scale,
            centred_origin(canvas.width, scale, field.nx),
            centred_origin(canvas.height, scale, field.ny),
            true};
}

CanvasView one_to_one(const CanvasView& view, const ScreenRect& canvas) {
    const double half_width = canvas.width / 2;
    const double half_height = canvas.height / 2;
    return {1,
            std::round(view.x + half_width / view.scale - half_width),
            std::round(view.y + half_height / view.scale - half_height),
            false};
}

CanvasView recentred(const CanvasView& view,
                     const ScreenRect& canvas_before,
                     FieldSize field_before,
                     const ScreenRect& canvas,
                     FieldSize field) {
    const auto origin = [&](double at, double pixels_before, int cells_before, double pixels, int cells) {
        const double middle = (at + pixels_before / 2 / view.scale) * cells / cells_before;
        return std::round(middle * view.scale - pixels / 2) / view.scale;
    };
    CanvasView result = view;
    result.x = origin(view.x, canvas_before.width, field_before.nx, canvas.width, field.nx);
    result.y = origin(view.y, canvas_before.height, field_before.ny, canvas.height, field.ny);
    return result;
}

CanvasView zoomed(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double factor, double px, double py) {
    const double fit = fitting_scale(canvas, field);
    const double smallest = std::min(fit / 10, 1.0);
    const double largest = std::max(fit, kLargestScale);
    const double scale = std::clamp(view.scale * factor, smallest, largest);
    if (scale == view.scale) return view;
    const SamplePoint at = cell_at(view, canvas, px, py);
    const double cell_x = std::clamp(at.x, 0.0, double(field.nx));
    const double cell_y = std::clamp(at.y, 0.0, double(field.ny));
    return {scale,
            cell_x - (cell_x - view.x) * view.scale / scale,
            cell_y - (cell_y - view.y) * view.scale / scale,
            false};
}

CanvasView panned(const CanvasView& view, const ScreenRect& canvas, FieldSize field, double dx, double dy) {
    CanvasView result = view;
    result.x = held_origin(view.x - dx / view.scale, view.scale, field.nx, canvas.width);
    result.y = held_origin(view.y - dy / view.scale, view.scale, field.ny, canvas.height);
    result.fitted = view.fitted && result.x == view.x && result.y == view.y;
    return result;
}

SamplePoint cell_at(const CanvasView& view, const ScreenRect& canvas, double px, double py) {
    return {view.x + (px - canvas.x) / view.scale, view.y + (py - canvas.y) / view.scale};
}

std::optional<SamplePoint> shown_at(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double px, double py) {
    const ScreenRect shown = intersection(field_pixels(view, canvas, field), canvas);
    if (!shown.contains(px, py)) return std::nullopt;
    const SamplePoint point = cell_at(view, canvas, std::floor(px) + 0.5, std::floor(py) + 0.5);
    // If the field is thinner than a pixel, the pixel's centre may lie outside the field.
    return SamplePoint{std::clamp(point.x, 0.0, std::nextafter(double(field.nx), 0.0)),
                       std::clamp(point.y, 0.0, std::nextafter(double(field.ny), 0.0))};
}

ScreenRect place(const CanvasView& view, const ScreenRect& canvas, const CellArea& area) {
    const auto pixel = [&](double cell, double origin) {
        return whole_if_near((cell - origin) * view.scale, kPixelRounding);
    };
    const double x0 = pixel(area.x0, view.x);
    const double y0 = pixel(area.y0, view.y);
    return {canvas.x + x0, canvas.y + y0, pixel(area.x1, view.x) - x0, pixel(area.y1, view.y) - y0};
}

ScreenRect field_pixels(const CanvasView& view, const ScreenRect& canvas, FieldSize field) {
    const PixelSpan x = pixels_of(view.x, view.scale, field.nx);
    const PixelSpan y = pixels_of(view.y, view.scale, field.ny);
    return {canvas.x + x.first, canvas.y + y.first, x.last - x.first, y.last - y.first};
}

std::optional<ResampleRequest> visible_part(const CanvasView& view,
                                            const ScreenRect& canvas,
                                            FieldSize field,
                                            bool smooth) {
    const ScreenRect shown = intersection(field_pixels(view, canvas, field), canvas);
    if (shown.width < 1 || shown.height < 1) return std::nullopt;
    const double left = shown.x - canvas.x;
    const double top = shown.y - canvas.y;
    const CellArea area{cell_of_edge(view.x, view.scale, left),
                        cell_of_edge(view.y, view.scale, top),
                        cell_of_edge(view.x, view.scale, left + shown.width),
                        cell_of_edge(view.y, view.scale, top + shown.height)};
    return ResampleRequest{area, int(shown.width), int(shown.height), smooth};
}

}  // namespace stencil
