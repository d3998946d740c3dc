#include "sim/figure/surface.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace stencil::figure {
namespace {

constexpr std::size_t kCorners = 24;

std::array<Point, kCorners + 2> circle(Point centre, double radius) {
    std::array<Point, kCorners + 2> points;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double angle = 2 * std::numbers::pi * double(i) / kCorners;
        points[i] = {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
    }
    return points;
}

}  // namespace

void draw_line(Surface& surface, Point from, Point to, const Stroke& stroke) {
    surface.path(std::array{from, to}, stroke);
}

// Draws four separate lines, because a path would have round corners.
void draw_frame(Surface& surface, const Box& box, const Stroke& stroke) {
    const double half = stroke.width / 2;
    for (const double y : {box.top, box.bottom()})
        draw_line(surface, {box.left - half, y}, {box.right() + half, y}, stroke);
    for (const double x : {box.left, box.right()})
        draw_line(surface, {x, box.top - half}, {x, box.bottom() + half}, stroke);
}

// Closes the circle beyond its first point, so that the joint there looks like the others.
void draw_circle(Surface& surface, Point centre, double radius, const Stroke& stroke) {
    surface.path(circle(centre, radius), stroke);
}

void fill_box(Surface& surface, const Box& box, Rgb color) {
    surface.fill(std::array{Point{box.left, box.top},
                            Point{box.right(), box.top},
                            Point{box.right(), box.bottom()},
                            Point{box.left, box.bottom()}},
                 color);
}

void fill_disc(Surface& surface, Point centre, double radius, Rgb color) {
    const auto points = circle(centre, radius);
    surface.fill(std::span(points).first(kCorners), color);
}

}  // namespace stencil::figure
