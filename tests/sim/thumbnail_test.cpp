// Thumbnails of files and sessions.
#include "sim/session/gallery/thumbnail.h"

#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr Rgb kRed{200, 10, 20}, kBlue{10, 20, 200};

// Red above blue.
std::vector<Rgb> two_colors(int nx, int ny) {
    std::vector<Rgb> pixels(std::size_t(nx) * std::size_t(ny), kRed);
    std::fill(pixels.begin() + nx * (ny / 2), pixels.end(), kBlue);
    return pixels;
}

}  // namespace

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

TEST_CASE("What can be opened has a thumbnail where one is quick to read, and otherwise none") {
    const ScratchFolder folder;
    write_png(folder / "picture.png", 300, 200, two_colors(300, 200));
    CHECK(picture_of_path(folder / "picture.png").pixels.front() == kRed);
    Array<double> cells(40, 30);
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) cells.at(x, y) = x;
    write_npy(folder / "array.npy", Field(std::move(cells)));
    const GalleryPicture array = picture_of_path(folder / "array.npy");
    CHECK(array.nx == 40);
    CHECK(array.ny == 30);
    // A run: by its folder and by its settings.
    std::filesystem::create_directory(folder / "run");
    write_bytes(folder / "run/spec.json", "{}");
    CHECK(picture_of_path(folder / "run").pixels.empty());
    write_png(folder / "run/field-v.png", 4, 4, two_colors(4, 4));
    write_png(folder / "run/field-u.png", 6, 6, two_colors(6, 6));
    CHECK(picture_of_path(folder / "run").nx == 6);
    CHECK(picture_of_path(folder / "run/spec.json").nx == 6);
    write_png(folder / "run/field.png", 8, 8, two_colors(8, 8));
    CHECK(picture_of_path(folder / "run/spec.json").nx == 8);
    write_png(folder / "run/spec.png", 9, 9, two_colors(9, 9));
    CHECK(picture_of_path(folder / "run/spec.json").nx == 9);
    for (const char* name : {"", "gone.png", "kernel.cu", "gone.json", "gone.npy"})
        CHECK(picture_of_path(folder / name).pixels.empty());
    for (const char* name : {"bad.png", "bad.npy", "bad.jpg"}) {
        write_bytes(folder / name, "not a picture");
        CHECK(picture_of_path(folder / name).pixels.empty());
    }
}
