// Films of runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/output/video_file.h"
#include "sim/run/run_spec.h"
#include "sim/view/colormap.h"

namespace stencil {

class Simulation;

struct FilmRequest {
    std::filesystem::path file;
    double fps = 30;      ///< frames per second
    bool figure = false;  ///< with axes, colour bar and step, as figure.png; else one pixel per cell
};

inline constexpr double kMostFps = 240;

/// Default number of steps between frames, which gives a film of about ten seconds.
long long film_steps(long long steps);

/// Writes the shown formula as video frames in the run's colours. All frames share the first one's range
/// unless each has its own. Throws as VideoFile does.
class FilmWriter {
  public:
    FilmWriter(FilmRequest request, const RunSpec& spec);

    void write(Simulation& simulation);
    /// Completes the file. Refuses a film without frames.
    void finish() { video_.value().finish(); }

    const std::filesystem::path& path() const { return request_.file; }
    long long frames() const { return video_ ? video_->frames() : 0; }

  private:
    void add_figure(const Field& field, const Simulation& simulation);
    void add_pixels(const Field& field, const RunSpec& now);

    FilmRequest request_;
    bool own_ranges_;
    std::optional<ValueRange> range_;
    std::string shown_;  ///< formula that the range belongs to
    int nx_ = 0, ny_ = 0;
    std::vector<Rgb> pixels_;
    std::optional<VideoFile> video_;  ///< opened at the first frame, which gives its size
};

}  // namespace stencil
