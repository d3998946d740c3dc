// Thumbnails of files and sessions, for lists of what can be opened.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "sim/session/gallery/gallery.h"

namespace stencil {

/// Averages ny rows of nx colours down to a thumbnail; a picture that is small enough stays as it is.
GalleryPicture thumbnail_of(int nx, int ny, std::span<const Rgb> pixels);

/// Returns a thumbnail of a PNG file's bytes; empty if they are no such file.
GalleryPicture picture_of_png(std::string_view bytes);

/// Returns a thumbnail of what is at the path: a picture or an array, or a run (its folder or settings),
/// which has NAME.png beside NAME.json or an exported field.png. Empty if there is none that is quick to
/// read. Never throws.
GalleryPicture picture_of_path(const std::filesystem::path& path);

}  // namespace stencil
