// A small picture of everything that a run can begin with, rendered by running it, on a thread of its own
// that leaves the processor to whoever else wants it.
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
    std::string_view name;  ///< of an initial condition, a ready run or a preset
};

/// Initial conditions, ready runs and presets, each in the order of their own table.
std::span<const GalleryRow> gallery_rows();

struct GalleryPicture {
    static constexpr int kSide = 96;  ///< of the longer side

    std::string title;
    std::string about;        ///< a sentence; empty: none
    int nx = 0, ny = 0;       ///< 0: it could not be made
    std::vector<Rgb> pixels;  ///< (ny, nx)
};

/// Runs it in its own proportions on a field that is small, for as many of its steps as fit into a second or
/// two; taken from the user's cache folder, and kept there, where there is one. `cut` true: it is left, and
/// nothing is kept.
GalleryPicture make_picture(const GalleryRow& row, const std::function<bool()>& cut);

class Gallery {
  public:
    /// `on_news` is called on the gallery's thread after each picture.
    explicit Gallery(std::function<void()> on_news);
    ~Gallery();
    Gallery(const Gallery&) = delete;
    Gallery& operator=(const Gallery&) = delete;

    /// The pictures up to this one of the rows are to be made.
    void want(std::size_t count);

    using Pictures = std::vector<std::shared_ptr<const GalleryPicture>>;
    /// In the order of the rows; at first null, then titles and sentences, then with their pixels.
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
    std::thread thread_;  ///< last, so that it starts when everything else is there
};

}  // namespace stencil
