// Video files, encoded by ffmpeg if it is installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace stencil {

/// Format of the frames given to ffmpeg, and of the film.
struct VideoInput {
    int nx = 0, ny = 0;         ///< frames of 3 bytes per pixel, row 0 on top; 0: each frame is a PNG file
    double fps = 30;            ///< frames per second
    int width = 0, height = 0;  ///< of the film, with the picture as large as fits on white; 0: the picture's
};

/// Throws InputError unless the ending is .mp4 (H.264), .webm (VP9) or .gif.
void check_video_name(const std::filesystem::path& file);

/// Why no film can be made on this machine; empty if it can.
std::string why_no_video();

/// The shell command that makes a film of numbered pictures: FOLDER/field_*.png.
std::string film_command(const std::filesystem::path& pictures, double fps);

/// The whole number by which small frames are enlarged, so that a player's smoothing does not blur cells. It
/// is even where a side is odd, because players expect an even number of pixels.
int video_enlargement(int nx, int ny);

/// A film being written. finish() flushes it and gives it its name; without that nothing is left behind and
/// an older file stays. Everything throws MachineError with
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
    /// Which encoder stands in for the usual one; empty: none.
    std::string note() const;

  private:
    struct State;

    void end();
    [[noreturn]] void fail(const std::string& why) const;

    std::filesystem::path path_;
    long long frames_ = 0;
    std::unique_ptr<State> state_;
};

}  // namespace stencil
