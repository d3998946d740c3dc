// The film of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/files/video_file.h"
#include "sim/run/run_spec.h"
#include "sim/view/colormap.h"

namespace stencil {

class Simulation;

struct FilmRequest {
    std::filesystem::path file;
    double fps = 30;      ///< frames a second
    bool figure = false;  ///< with axes, colour bar and step, as figure.png; else a pixel a cell and no more
};

inline constexpr double kMostFps = 240;

/// The steps between two frames of a film where nobody says: some ten seconds of it.
long long film_steps(long long steps);

/// Frames of what is shown, in the colours and range of the run's other pictures; the range of the first one
/// for all, unless each is to have its own. Throws as VideoFile does.
class FilmWriter {
  public:
    FilmWriter(FilmRequest request, const RunSpec& spec);

    void write(Simulation& simulation);
    /// The film is there when this returns; a film without a frame is refused.
    void finish() { video_.value().finish(); }

    const std::filesystem::path& path() const { return request_.file; }
    long long frames() const { return video_ ? video_->frames() : 0; }

  private:
    void add_figure(const Field& field, const RunSpec& now, long long step);
    void add_pixels(const Field& field, const RunSpec& now);

    FilmRequest request_;
    bool own_ranges_;
    std::optional<ValueRange> range_;
    std::string shown_;  ///< what the range is of
    int nx_ = 0, ny_ = 0;
    std::vector<Rgb> pixels_;
    std::optional<VideoFile> video_;  ///< from the first frame on, which says how large it is
};

}  // namespace stencil
