// A small picture of every preset, rendered by running it, on a thread of its own that leaves the processor
// to whoever else wants it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/model/presets.h"
#include "sim/view/colormap.h"

namespace stencil {

struct GalleryPicture {
    static constexpr int kSide = 96;  ///< of the longer side

    std::string title;
    int nx = 0, ny = 0;       ///< 0: it could not be made
    std::vector<Rgb> pixels;  ///< (ny, nx)
};

/// Runs a preset in its own proportions on a field that is small, for as many of its steps as fit into a
/// second or two; taken from the user's cache folder, and kept there, where there is one. `cut` true: it is
/// left, and nothing is kept.
GalleryPicture make_picture(const Preset& preset, const std::function<bool()>& cut);

class Gallery {
  public:
    /// `on_news` is called on the gallery's thread after each picture.
    explicit Gallery(std::function<void()> on_news);
    ~Gallery();
    Gallery(const Gallery&) = delete;
    Gallery& operator=(const Gallery&) = delete;

    using Pictures = std::vector<std::shared_ptr<const GalleryPicture>>;
    /// In the order of presets(); null: not yet made.
    Pictures pictures() const;

  private:
    void run();
    bool stopped() const;

    std::function<void()> on_news_;
    mutable std::mutex mutex_;
    bool stop_ = false;
    Pictures pictures_;
    std::thread thread_;  ///< last, so that it starts when everything else is there
};

}  // namespace stencil
