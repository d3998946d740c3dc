// The gallery: initial conditions, ready runs and presets, with the pictures of assets/gallery.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/run_spec.h"
#include "sim/view/colormap.h"

namespace stencil {

struct GalleryRow {
    enum class Kind { initial, run, model } kind;
    std::string_view name;  ///< of the initial condition, ready run or preset
};

/// Initial conditions, then ready runs, then presets, each in the order of its table.
std::span<const GalleryRow> gallery_rows();

/// A thumbnail with a title and a sentence.
struct GalleryPicture {
    static constexpr int kSide = 96;  ///< longer side in pixels

    std::string title = {};
    std::string about = {};        ///< one sentence; empty: none
    int nx = 0, ny = 0;            ///< 0: there is no picture
    std::vector<Rgb> pixels = {};  ///< (ny, nx)
};
using GalleryPictures = std::vector<std::shared_ptr<const GalleryPicture>>;

/// Returns title, sentence and picture of a row. Rows without a file in assets/gallery have no picture.
GalleryPicture gallery_picture(const GalleryRow& row);
/// Returns them in the order of the rows.
GalleryPictures gallery_pictures();

/// The run that a row stands for, from which scripts/pictures makes the picture.
struct GallerySubject {
    std::string title, about;
    std::string text;  ///< a hash of it names the picture
    RunSpec spec;      ///< at its full size
};
GallerySubject gallery_subject(const GalleryRow& row);

/// Names the picture of a row in assets/gallery, which scripts/pictures makes; it changes with the row's
/// text.
std::string shipped_name(const GalleryRow& row);

/// Averages ny rows of nx colours down to a thumbnail; a picture that is small enough stays as it is.
GalleryPicture thumbnail_of(int nx, int ny, std::span<const Rgb> pixels);

/// Returns a thumbnail of a PNG file; empty if it cannot be read or has more than 20 million pixels.
GalleryPicture picture_of_png(const std::filesystem::path& file);

}  // namespace stencil
