// Films, encoded by ffmpeg if it is installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/problem/run_spec.h"
#include "sim/view/colormap.h"

namespace stencil {

/// Format of the frames given to ffmpeg.
struct VideoInput {
    int nx = 0, ny = 0;  ///< frames of 3 bytes per pixel, row 0 on top; 0: each frame is a PNG file
    double fps = 30;     ///< frames per second
};

/// Throws InputError unless the ending is .mp4 (H.264), .webm (VP9) or .gif.
void check_video_name(const std::filesystem::path& file);

/// Why no film can be made on this machine; empty if it can.
std::string why_no_video();

/// The shell command that makes a film of numbered pictures in a folder.
std::string film_command(const std::filesystem::path& folder, double fps);

/// A film being written. finish() flushes it and gives it its name; without that nothing is left behind and
/// an older file stays. Small frames are enlarged by whole numbers. Everything throws MachineError with
/// ffmpeg's message, and the constructor also InputError as check_video_name() does.
class VideoFile {
  public:
    VideoFile(const std::filesystem::path& file, const VideoInput& input);
    ~VideoFile();
    VideoFile(const VideoFile&) = delete;
    VideoFile& operator=(const VideoFile&) = delete;

    void add(std::span<const std::byte> frame);
    void finish();

    const std::filesystem::path& path() const { return path_; }
    long long frames() const { return frames_; }

  private:
    struct State;

    void end();
    [[noreturn]] void fail(const std::string& why) const;

    std::filesystem::path path_;
    long long frames_ = 0;
    std::unique_ptr<State> state_;
};

// --- Films of runs

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
