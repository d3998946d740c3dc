// Films, which ffmpeg makes where it is installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace stencil {

/// What is given to ffmpeg, frame by frame.
struct VideoInput {
    int nx = 0, ny = 0;  ///< of frames of 3 bytes a pixel, row 0 on top; 0: each frame is a PNG file's bytes
    double fps = 30;     ///< frames a second
};

/// Throws InputError unless the ending is one that can be written: .mp4 (H.264), .webm (VP9) or .gif.
void check_video_name(const std::filesystem::path& file);

/// Why no film can be made on this machine; empty: it can.
std::string why_no_video();

/// The line, for a shell, that makes a film of numbered pictures in a folder.
std::string film_command(const std::filesystem::path& folder, double fps);

/// A film in the making: it takes its name in finish(), after everything has reached the disk; without that
/// nothing is left behind, and an older file of that name stays. Frames of few pixels are enlarged by whole
/// numbers. Everything throws MachineError, which says what ffmpeg said, and the constructor InputError as
/// check_video_name() does.
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

}  // namespace stencil
