#include "sim/session/gallery/gallery.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>

#include "sim/field/field_hash.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/problem/panes.h"
#include "sim/problem/ready_runs.h"
#include "sim/text/embedded.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

GallerySubject subject_of(const InitialCondition& condition) {
    GallerySubject subject{
        std::string(condition.name), std::string(condition.help), std::string(condition.sample), {}};
    subject.spec.initial = subject.text;
    subject.spec.size = Size{GalleryPicture::kSide, GalleryPicture::kSide};
    subject.spec.steps = 0;
    return subject;
}

GallerySubject subject_of(const ReadyRun& run) {
    return {run.title, run.about, run.text, run.spec};
}

GallerySubject subject_of(const Preset& preset) {
    GallerySubject subject{std::string(preset.name), "", std::string(preset.text), {}};
    subject.spec.use_model(model_of_text(subject.text, subject.title));
    const equation::Equations& equations = *subject.spec.model->equations;
    if (!equations.title.empty()) subject.title = equations.title;
    subject.about = equations.about;
    return subject;
}

std::string name_of(const GalleryRow& row, const GallerySubject& subject) {
    return fmt::format("{}-{:016x}", row.name, xxh64(std::as_bytes(std::span(subject.text))));
}

// Reads a PNG with its colours, which read_image() does not keep. `begin` opens it.
template <class F>
GalleryPicture read_colors(F begin) {
    constexpr std::int64_t kMostPixels = 20'000'000;  // larger pictures take more than some 0.1 s
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (begin(image) == 0) return {};
    image.format = PNG_FORMAT_RGB;
    const std::int64_t count = std::int64_t(image.width) * image.height;
    if (count > kMostPixels) {
        png_image_free(&image);
        return {};
    }
    std::vector<Rgb> pixels(static_cast<std::size_t>(count));
    const png_color black{};
    if (png_image_finish_read(&image, &black, pixels.data(), 0, nullptr) == 0) return {};
    return thumbnail_of(int(image.width), int(image.height), pixels);
}

}  // namespace

std::span<const GalleryRow> gallery_rows() {
    static const std::vector<GalleryRow> rows = [] {
        std::vector<GalleryRow> all;
        for (const InitialCondition& row : initial_conditions())
            all.push_back({GalleryRow::Kind::initial, row.name});
        for (const ReadyRun& row : ready_runs()) all.push_back({GalleryRow::Kind::run, row.name});
        for (const Preset& row : presets()) all.push_back({GalleryRow::Kind::model, row.name});
        return all;
    }();
    return rows;
}

GallerySubject gallery_subject(const GalleryRow& row) {
    if (row.kind == GalleryRow::Kind::run) return subject_of(*find_ready_run(row.name));
    if (row.kind == GalleryRow::Kind::model) return subject_of(*find_preset(row.name));
    return subject_of(row_named(initial_conditions(), "initial condition", row.name));
}

std::string shipped_name(const GalleryRow& row) {
    return name_of(row, gallery_subject(row));
}

GalleryPicture gallery_picture(const GalleryRow& row) {
    const GallerySubject subject = gallery_subject(row);
    const auto files = embedded_gallery();
    const auto found = std::ranges::find(files, name_of(row, subject), &EmbeddedFile::name);
    GalleryPicture picture;
    if (found != files.end())
        picture = read_colors([&](png_image& image) {
            return png_image_begin_read_from_memory(&image, found->text.data(), found->text.size());
        });
    picture.title = subject.title;
    picture.about = subject.about;
    const Colormap& map = field_colors(subject.spec);
    for (Rgb& pixel : picture.pixels) pixel = map.colors[pixel.r];  // the file has grey levels
    return picture;
}

GalleryPictures gallery_pictures() {
    GalleryPictures all;
    for (const GalleryRow& row : gallery_rows())
        all.push_back(std::make_shared<const GalleryPicture>(gallery_picture(row)));
    return all;
}

GalleryPicture thumbnail_of(int nx, int ny, std::span<const Rgb> pixels) {
    if (nx < 1 || ny < 1) return {};
    const double share = std::min(1.0, double(GalleryPicture::kSide) / std::max(nx, ny));
    GalleryPicture small{.nx = std::max(1, int(share * nx)), .ny = std::max(1, int(share * ny))};
    for (int y = 0; y < small.ny; ++y) {
        const int top = int(std::int64_t(y) * ny / small.ny),
                  bottom = int(std::int64_t(y + 1) * ny / small.ny);
        for (int x = 0; x < small.nx; ++x) {
            const int left = int(std::int64_t(x) * nx / small.nx),
                      right = int(std::int64_t(x + 1) * nx / small.nx);
            std::array<std::int64_t, 3> sum{};
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column) {
                    const Rgb& pixel = pixels[std::size_t(row) * std::size_t(nx) + std::size_t(column)];
                    sum[0] += pixel.r;
                    sum[1] += pixel.g;
                    sum[2] += pixel.b;
                }
            const std::int64_t count = std::int64_t(bottom - top) * (right - left);
            const auto mean = [&](std::size_t i) { return std::uint8_t(sum[i] / count); };
            small.pixels.push_back({mean(0), mean(1), mean(2)});
        }
    }
    return small;
}

GalleryPicture picture_of_png(const std::filesystem::path& file) {
    return read_colors(
        [&](png_image& image) { return png_image_begin_read_from_file(&image, file.c_str()); });
}

}  // namespace stencil
