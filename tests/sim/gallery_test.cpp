// The gallery's pictures and thumbnails. The hidden test makes the pictures of assets/gallery.
#include "sim/session/gallery/gallery.h"

#include "sim/files/image.h"
#include "sim/problem/panes.h"
#include "sim/problem/ready_runs.h"
#include "sim/session/beside.h"
#include "sim/session/engine/frame_maker.h"
#include "sim/session/mosaic.h"
#include "sim/text/embedded.h"
#include "sim/view/value_range.h"
#include "tests/support/runs.h"

namespace {

constexpr Rgb kRed{200, 10, 20}, kBlue{10, 20, 200};

// Red above blue.
std::vector<Rgb> two_colors(int nx, int ny) {
    std::vector<Rgb> pixels(std::size_t(nx) * std::size_t(ny), kRed);
    std::fill(pixels.begin() + nx * (ny / 2), pixels.end(), kBlue);
    return pixels;
}

constexpr int kLongestSide = 160;  // cells: enough to show a pattern
constexpr int kShortestSide = 16;

// The row's run on a small field of the same proportions.
RunSpec picture_spec(const GalleryRow& row, const RunSpec& full) {
    RunSpec spec = full;
    spec.backend = "cpu";
    spec.threads = 1;
    const Size own = spec.size.value_or(Size{kLongestSide, kLongestSide});
    const double share = std::min(1.0, double(kLongestSide) / std::max(own.nx, own.ny));
    const auto side = [&](int n) {
        return std::max(std::min(n, kShortestSide), int(std::lround(share * n)));
    };
    spec.size = Size{side(own.nx), side(own.ny)};
    // Diffusion spreads evenly: smaller fields need fewer steps.
    if (row.kind == GalleryRow::Kind::run && !full.is_general())
        spec.steps = std::llround(share * share * double(spec.steps));
    spec.exports.clear();
    spec.allow_unstable = true;  // the text's author has chosen the time step
    return spec;
}

double contrast(const Field& field) {
    const Statistics statistics = statistics_of(field);
    return statistics.max - statistics.min;
}

// Grey levels of a range.
std::vector<Rgb> shades_of(std::span<const float> values, const ValueRange& range) {
    std::vector<Rgb> shades;
    for (const float value : values) {
        const double place = place_of(value, range);
        const auto shade =
            std::uint8_t(std::isfinite(place) ? std::lround(255 * std::clamp(place, 0.0, 1.0)) : 0);
        shades.push_back({shade, shade, shade});
    }
    return shades;
}

// The tiles of a sweep, as the window shows them.
GalleryPicture run_sweep(const SweepSpec& sweep) {
    Mosaic mosaic(sweep, query_machine());
    while (mosaic.busy(false)) mosaic.work(false, 0, 100);
    const Size size = mosaic.tiles()->size();
    const double share = double(GalleryPicture::kSide) / std::max(size.nx, size.ny);
    GalleryPicture shades{.nx = int(std::lround(share * size.nx)), .ny = int(std::lround(share * size.ny))};
    PixelPool pool;
    const PaneRequest request{Pane::mosaic,
                              {{0, 0, double(size.nx), double(size.ny)}, shades.nx, shades.ny, false}};
    const PaneImage image = mosaic.picture(request, sweep.base, true, pool);
    shades.pixels = shades_of(image.pixels->host, image.range);
    return shades;
}

// Returns grey levels, which the colour map of the row turns into a picture.
GalleryPicture run_row(const GalleryRow& row) {
    if (row.kind == GalleryRow::Kind::run)
        if (const ReadyRun& run = *find_ready_run(row.name); is_sweep(run.text)) {
            SweepSpec sweep = *beside_of(run).sweep;
            sweep.base.steps = run.spec.steps;
            sweep.base.backend = "cpu";
            return run_sweep(sweep);
        }

    constexpr int kSlices = 64;
    constexpr double kFlat = 0.01;
    const GallerySubject subject = gallery_subject(row);
    Simulation simulation = begun(resolve(picture_spec(row, subject.spec), query_machine()));
    const RunSpec& spec = simulation.now();
    const int own_side =
        subject.spec.size ? std::max(subject.spec.size->nx, subject.spec.size->ny) : kLongestSide;
    const long long steps = spec.likely_steps();
    const long long own_way = steps * std::max(spec.size->nx, spec.size->ny) / own_side;
    std::optional<Field> underway;  // a pattern that spreads, when it covers the share that it would in full
    while (simulation.step() < steps) {
        simulation.apply(Advance{std::min(std::max(1LL, steps / kSlices), steps - simulation.step())});
        if (!underway && simulation.step() >= own_way) underway = simulation.field();
    }
    Field seen = simulation.field();
    if (underway && contrast(seen) < kFlat * contrast(*underway)) seen = std::move(*underway);
    const Field wide = seen.to(DType::float64);
    const double share = double(GalleryPicture::kSide) / std::max(wide.nx(), wide.ny());
    const auto side = [&](int n) { return std::max(1, int(std::lround(share * n))); };
    GalleryPicture shades{.nx = side(wide.nx()), .ny = side(wide.ny())};
    const Field small(resample(wide.as<double>(), shades.nx, shades.ny, Growing::nearest));
    const ValueRange range =
        find_range(small, spec.coloring(spec.shown()).range, field_colors(spec).diverging);
    const std::span<const double> cells = small.as<double>().cells();
    shades.pixels = shades_of(std::vector<float>(cells.begin(), cells.end()), range);
    return shades;
}

}  // namespace

TEST_CASE("Each picture that ships is that of a row as it is now, and is not flat") {
    std::vector<std::string> names;
    for (const GalleryRow& row : gallery_rows()) names.push_back(shipped_name(row));
    for (const EmbeddedFile& file : embedded_gallery()) {
        CAPTURE(file.name);
        INFO("scripts/pictures makes them again");
        const auto found = std::ranges::find(names, file.name);
        REQUIRE(found != names.end());
        const GalleryPicture picture = gallery_picture(gallery_rows()[std::size_t(found - names.begin())]);
        REQUIRE(std::max(picture.nx, picture.ny) == GalleryPicture::kSide);
        CHECK(std::ranges::count(picture.pixels, picture.pixels.front()) <
              std::ptrdiff_t(picture.pixels.size()));
        // A disc in the middle of a field of 0.
        if (!file.name.starts_with("disk-")) continue;
        CHECK(picture.pixels[48 * 96 + 48] != picture.pixels.front());
        CHECK(picture.pixels.back() == picture.pixels.front());
    }
}

TEST_CASE("Each row of the gallery has a title, that of its text if it has one") {
    const GalleryPictures pictures = gallery_pictures();
    REQUIRE(pictures.size() == gallery_rows().size());
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const GalleryRow& row = gallery_rows()[i];
        CAPTURE(row.name);
        CHECK_FALSE(pictures[i]->title.empty());
        if (row.kind != GalleryRow::Kind::initial) CHECK(pictures[i]->title != row.name);
    }
}

// Not a test: scripts/pictures calls it.
TEST_CASE("Pictures that ship are made in the folder $STENCILSCOPE_GALLERY", "[.gallery]") {
    const char* target = std::getenv("STENCILSCOPE_GALLERY");
    REQUIRE(target);
    for (const GalleryRow& row : gallery_rows()) {
        const auto file = std::filesystem::path(target) / (shipped_name(row) + ".png");
        if (std::filesystem::exists(file)) continue;
        const GalleryPicture shades = run_row(row);
        write_png(file, shades.nx, shades.ny, shades.pixels);
    }
}

TEST_CASE("A thumbnail has the picture's proportions and its mean colours") {
    const GalleryPicture small = thumbnail_of(960, 480, two_colors(960, 480));
    REQUIRE(small.nx == GalleryPicture::kSide);
    REQUIRE(small.ny == GalleryPicture::kSide / 2);
    CHECK(small.pixels.front() == kRed);
    CHECK(small.pixels.back() == kBlue);
    const GalleryPicture own = thumbnail_of(5, 2, two_colors(5, 2));
    CHECK(own.nx == 5);
    CHECK(own.pixels == two_colors(5, 2));
    const GalleryPicture line = thumbnail_of(5000, 1, std::vector<Rgb>(5000, kRed));
    CHECK(line.ny == 1);
    CHECK(thumbnail_of(0, 0, {}).pixels.empty());
}

TEST_CASE("A PNG file has a thumbnail, and what is no PNG file has none") {
    const ScratchFolder folder;
    write_png(folder / "picture.png", 300, 200, two_colors(300, 200));
    CHECK(picture_of_png(folder / "picture.png").pixels.front() == kRed);
    write_bytes(folder / "bad.png", "not a picture");
    for (const char* name : {"", "gone.png", "bad.png"}) CHECK(picture_of_png(folder / name).pixels.empty());
}
