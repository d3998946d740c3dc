// Pan and zoom: invariants of all views, tested with random and extreme ones.
#include "app/window/canvas_view.h"

#include "tests/support/catch.h"
#include "tests/support/window/canvas_lab.h"

namespace {

const std::vector<FieldSize> kFields = {{1, 1},
                                        {2, 3},
                                        {1, 1000000},
                                        {1000000, 1},
                                        {1 << 30, 1},
                                        {1, 1 << 30},
                                        {1 << 30, 1 << 30},
                                        {16384, 16384},
                                        {2000, 2000},
                                        {97, 61}};
const std::vector<ScreenRect> kCanvases = {{0, 0, 1, 1},
                                           {5, 9, 1, 700},
                                           {0, 30, 2, 3},
                                           {17, 3, 7, 1},
                                           {0, 0, 1920, 1200},
                                           {340, 24, 939, 775},
                                           {10, 20, 301, 1000}};

bool is_whole(double value) {
    return value == std::round(value);
}

FieldSize random_size(Dice& random) {
    const double most = random.uniform(0, 14);
    return {int(std::exp2(random.uniform(0, most))), int(std::exp2(random.uniform(0, most)))};
}

ScreenRect random_canvas(Dice& random) {
    return {double(random.integer(0, 500)),
            double(random.integer(0, 500)),
            double(random.integer(1, 2000)),
            double(random.integer(1, 1500))};
}

/// Returns a view reached from the fit by wheel and drags.
CanvasView random_view(Dice& random, const ScreenRect& canvas, FieldSize field) {
    CanvasView view = fit_view(canvas, field);
    for (int i = random.integer(0, 12); i > 0; --i) {
        const double px = canvas.x + random.integer(0, int(canvas.width) - 1);
        const double py = canvas.y + random.integer(0, int(canvas.height) - 1);
        view = zoomed(view, canvas, field, std::pow(1.2, random.integer(-5, 12)), px, py);
        view = panned(view, canvas, field, random.integer(-900, 900), random.integer(-900, 900));
    }
    return view;
}

struct RandomView {
    explicit RandomView(Dice& random)
        : canvas(random_canvas(random)),
          field(random_size(random)),
          view(random_view(random, canvas, field)) {}
    ScreenRect canvas;
    FieldSize field;
    CanvasView view;
};

bool on_edge(double cell, int cells, double scale) {
    constexpr double kRounding = 1e-6;  // in pixels
    return std::min(std::abs(cell), std::abs(cell - cells)) * scale < kRounding;
}

// Checks the guarantees of visible_part().
void check_visible_part(const CanvasView& view, const ScreenRect& canvas, FieldSize field) {
    const auto part = visible_part(view, canvas, field, true);
    REQUIRE(part);
    REQUIRE(part->smooth);
    REQUIRE(part->width >= 1);
    REQUIRE(part->height >= 1);
    const ScreenRect at = place(view, canvas, part->area);
    REQUIRE(at.width == part->width);
    REQUIRE(at.height == part->height);
    REQUIRE(is_whole(at.x));
    REQUIRE(is_whole(at.y));
    REQUIRE(intersection(at, canvas) == at);
    const double pixel = (1 + 1e-9) / view.scale;
    REQUIRE(part->area.x0 > -pixel);
    REQUIRE(part->area.y0 > -pixel);
    REQUIRE(part->area.x1 < field.nx + pixel);
    REQUIRE(part->area.y1 < field.ny + pixel);
    REQUIRE(part->area.x1 > 0);
    REQUIRE(part->area.y1 > 0);
    REQUIRE(part->area.x0 < field.nx);
    REQUIRE(part->area.y0 < field.ny);
}

}  // namespace

TEST_CASE("The fit shows all of the field, centred, on whole pixels, touching two sides of the canvas") {
    for (const FieldSize field : kFields)
        for (const ScreenRect& canvas : kCanvases) {
            CAPTURE(field.nx, field.ny, canvas.width, canvas.height);
            const CanvasView view = fit_view(canvas, field);
            REQUIRE(view.fitted);
            const ScreenRect all = field_pixels(view, canvas, field);
            REQUIRE(intersection(all, canvas) == all);
            REQUIRE(std::abs(all.width - std::max(1.0, field.nx * view.scale)) <= 0.5);
            REQUIRE(std::abs(all.height - std::max(1.0, field.ny * view.scale)) <= 0.5);
            REQUIRE((all.width == canvas.width || all.height == canvas.height));
            REQUIRE(std::abs((all.x - canvas.x) - (canvas.x + canvas.width - all.x - all.width)) <= 1);
            REQUIRE(std::abs((all.y - canvas.y) - (canvas.y + canvas.height - all.y - all.height)) <= 1);
            check_visible_part(view, canvas, field);
            const auto part = visible_part(view, canvas, field, false);
            REQUIRE(part->area.x0 == 0);
            REQUIRE(part->area.y0 == 0);
            REQUIRE(panned(view, canvas, field, 0, 0).scale == view.scale);
        }
}

TEST_CASE("In every view that can be reached, what is sampled lies on whole pixels, one for one") {
    Dice random;
    for (int i = 0; i < 2000; ++i) {
        const ScreenRect canvas = random_canvas(random);
        const FieldSize field = random_size(random);
        CAPTURE(i, field.nx, field.ny, canvas.width, canvas.height);
        check_visible_part(random_view(random, canvas, field), canvas, field);
    }
    for (const FieldSize field : kFields)
        for (const ScreenRect& canvas : kCanvases) {
            CAPTURE(field.nx, field.ny, canvas.width, canvas.height);
            for (int i = 0; i < 20; ++i)
                check_visible_part(random_view(random, canvas, field), canvas, field);
        }
}

TEST_CASE("The pixels of the field are those whose centres show it") {
    Dice random;
    for (int i = 0; i < 300; ++i) {
        const auto [canvas, field, view] = RandomView(random);
        const ScreenRect shown = intersection(field_pixels(view, canvas, field), canvas);
        CAPTURE(i, field.nx, field.ny, view.scale, view.x, view.y);
        for (int k = 0; k < 40; ++k) {
            const double px = canvas.x + random.integer(-20, int(canvas.width) + 20);
            const double py = canvas.y + random.integer(-20, int(canvas.height) + 20);
            const SamplePoint at = cell_at(view, canvas, px + 0.5, py + 0.5);
            const bool inside = at.x >= 0 && at.y >= 0 && at.x < field.nx && at.y < field.ny;
            const auto point = shown_at(view, canvas, field, px + random.uniform(0, 0.99), py);
            REQUIRE(point.has_value() == shown.contains(px, py));
            // A pixel centred exactly on the field's edge may count either way.
            if (on_edge(at.x, field.nx, view.scale) || on_edge(at.y, field.ny, view.scale)) continue;
            if (inside && canvas.contains(px, py)) {
                REQUIRE(point);
                REQUIRE(apart(*point, at) <= 1e-5 * (1 + std::abs(at.x) + std::abs(at.y)));
            }
            if (point && field.nx * view.scale > 1 && field.ny * view.scale > 1) REQUIRE(inside);
        }
    }
}

TEST_CASE("Zooming keeps the cell under the cursor and ends at the limits") {
    Dice random;
    for (int i = 0; i < 1000; ++i) {
        const auto [canvas, field, view] = RandomView(random);
        const auto part = visible_part(view, canvas, field, false);
        REQUIRE(part);
        const double cell_x =
            random.uniform(std::max(0.0, part->area.x0), std::min(double(field.nx), part->area.x1));
        const double cell_y =
            random.uniform(std::max(0.0, part->area.y0), std::min(double(field.ny), part->area.y1));
        const ScreenRect cursor = place(view, canvas, {cell_x, cell_y, cell_x, cell_y});
        const double factor = std::exp2(random.uniform(-2, 2));
        const CanvasView next = zoomed(view, canvas, field, factor, cursor.x, cursor.y);
        CAPTURE(i, field.nx, field.ny, view.scale, factor, next.scale);
        const ScreenRect after = place(next, canvas, {cell_x, cell_y, cell_x, cell_y});
        REQUIRE(apart({after.x, after.y}, {cursor.x, cursor.y}) < 0.01);
        const double fit = fit_view(canvas, field).scale;
        REQUIRE(next.scale <= std::max(kLargestScale, fit));
        REQUIRE(next.scale >= std::min(fit / 10, 1.0));
        if (next.scale > std::min(fit / 10, 1.0) && next.scale < std::max(kLargestScale, fit))
            REQUIRE(next.scale == Approx(view.scale * factor));
    }
}

TEST_CASE("Panning moves by whole pixels, and some of the field stays") {
    Dice random;
    const ScreenRect canvas{100, 50, 801, 603};
    const FieldSize field{3000, 2000};
    for (int i = 0; i < 300; ++i) {
        CanvasView view = fit_view(canvas, field);
        view = zoomed(view, canvas, field, random.uniform(1.1, 60), random.uniform(300, 600), 300);
        const int dx = random.integer(-60, 60);
        const int dy = random.integer(-60, 60);
        const CanvasView moved = panned(view, canvas, field, dx, dy);
        const ScreenRect before = place(view, canvas, {1200, 900, 1300, 1000});
        const ScreenRect after = place(moved, canvas, {1200, 900, 1300, 1000});
        CAPTURE(view.scale, dx, dy);
        REQUIRE(apart({after.x, after.y}, {before.x + dx, before.y + dy}) < 3e-3);
        for (const double far : {-1e9, 1e9}) {
            const auto part = visible_part(panned(view, canvas, field, far, 0), canvas, field, false);
            REQUIRE(part);
            REQUIRE(part->width >= 30);
            REQUIRE(visible_part(panned(view, canvas, field, 0, far), canvas, field, false));
        }
    }
}

TEST_CASE(
    "At one pixel per cell each pixel is exactly one cell, also after panning, about the canvas' middle") {
    Dice random;
    for (int i = 0; i < 500; ++i) {
        const ScreenRect canvas = random_canvas(random);
        const FieldSize field = random_size(random);
        const CanvasView before = random_view(random, canvas, field);
        CanvasView view = one_to_one(before, canvas);
        const double middle_x = canvas.x + canvas.width / 2, middle_y = canvas.y + canvas.height / 2;
        REQUIRE(apart(cell_at(view, canvas, middle_x, middle_y),
                      cell_at(before, canvas, middle_x, middle_y)) <= 0.5 + 1e-9);
        view = panned(view, canvas, field, random.integer(-500, 500), random.integer(-500, 500));
        CAPTURE(i, field.nx, field.ny, canvas.width, canvas.height);
        const auto part = visible_part(view, canvas, field, false);
        REQUIRE(part);
        REQUIRE(is_whole(part->area.x0));
        REQUIRE(is_whole(part->area.y0));
        REQUIRE(part->area.x1 - part->area.x0 == part->width);
        REQUIRE(part->area.y1 - part->area.y0 == part->height);
        REQUIRE(part->area.x0 >= 0);
        REQUIRE(part->area.x1 <= field.nx);
    }
}

TEST_CASE("A canvas of another size has the same place of the field in its middle, on whole pixels") {
    Dice random;
    for (int i = 0; i < 200; ++i) {
        const ScreenRect canvas = random_canvas(random), next = random_canvas(random);
        const FieldSize field = random_size(random), other = random_size(random);
        const CanvasView view = random_view(random, canvas, field);
        const auto middle = [](const CanvasView& v, const ScreenRect& at) {
            return cell_at(v, at, at.x + at.width / 2, at.y + at.height / 2);
        };
        const CanvasView now = recentred(view, canvas, field, next, other);
        const SamplePoint was = middle(view, canvas), is = middle(now, next);
        CAPTURE(view.scale, field.nx, other.nx);
        REQUIRE(now.scale == view.scale);
        REQUIRE(std::abs(is.x - was.x * other.nx / field.nx) <= 0.51 / view.scale + 1e-9 * std::abs(is.x));
        REQUIRE(std::abs(is.y - was.y * other.ny / field.ny) <= 0.51 / view.scale + 1e-9 * std::abs(is.y));
        REQUIRE(now.x * now.scale == Approx(std::round(now.x * now.scale)).margin(1e-6));
    }
}

TEST_CASE("Nothing is visible on an empty canvas") {
    const FieldSize field{100, 100};
    const CanvasView view = fit_view({0, 0, 0, 0}, field);
    REQUIRE_FALSE(visible_part(view, {0, 0, 0, 0}, field, false));
    REQUIRE_FALSE(visible_part(view, {0, 0, 100, 0}, field, false));
    REQUIRE(visible_part(view, {0, 0, 1, 1}, field, false));
}
