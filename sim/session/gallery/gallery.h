// Makes thumbnails of initial conditions, ready runs and presets by running them at low priority.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sim/view/colormap.h"

namespace stencil {

struct GalleryRow {
    enum class Kind { initial, run, model } kind;
    std::string_view name;  ///< of the initial condition, ready run or preset
};

/// Initial conditions, then ready runs, then presets, each in the order of its table.
std::span<const GalleryRow> gallery_rows();

struct GalleryPicture {
    static constexpr int kSide = 96;  ///< longer side in pixels

    std::string title = {};
    std::string about = {};        ///< one sentence; empty: none
    int nx = 0, ny = 0;            ///< 0: the picture could not be made
    std::vector<Rgb> pixels = {};  ///< (ny, nx)
};

struct PictureSource {
    bool shipped = true;  ///< the picture that ships with the program, if there is one
    double seconds = 2;   ///< of processor time; a run that takes longer is shown as far as it came
};

/// Returns the row's picture: the one that ships with the program, or one from the user's cache folder, or
/// else runs the row on a small field of the same proportions. Abandons that, without caching, once `cut`
/// returns true.
GalleryPicture make_picture(const GalleryRow& row,
                            const std::function<bool()>& cut,
                            const PictureSource& source = {});

/// Names the picture of a row in assets/gallery, which scripts/pictures makes; it changes with the row's
/// text.
std::string shipped_name(const GalleryRow& row);

class Gallery {
  public:
    /// `on_news` is called on the gallery's thread after each picture.
    explicit Gallery(std::function<void()> on_news);
    ~Gallery();
    Gallery(const Gallery&) = delete;
    Gallery& operator=(const Gallery&) = delete;

    /// Requests the pictures of the first `count` rows.
    void want(std::size_t count);

    using Pictures = std::vector<std::shared_ptr<const GalleryPicture>>;
    /// In the order of the rows. Entries are null at first, then have title and description, then pixels.
    Pictures pictures() const;

  private:
    void put(std::size_t row, GalleryPicture picture);
    void run();
    bool stopped() const;
    bool wait_for(std::size_t picture);

    std::function<void()> on_news_;
    mutable std::mutex mutex_;
    std::condition_variable wanted_more_;
    bool stop_ = false;
    std::size_t wanted_ = 0;
    Pictures pictures_;
    std::thread thread_;  ///< last, so that it starts after everything else exists
};

}  // namespace stencil
