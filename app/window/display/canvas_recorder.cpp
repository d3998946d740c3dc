#include "app/window/display/canvas_recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <optional>

#include "app/window/display/gl_objects.h"
#include "sim/files/folder.h"
#include "sim/machine/background.h"
#include "sim/run/output/video.h"

namespace stencil {
namespace {

constexpr std::size_t kMostWaiting = 8;  // frames

std::optional<std::vector<Rgb>> take_first(std::deque<std::vector<Rgb>>& frames) {
    if (frames.empty()) return std::nullopt;
    std::vector<Rgb> frame = std::move(frames.front());
    frames.pop_front();
    return frame;
}

}  // namespace

struct CanvasRecorder::Film {
    const std::filesystem::path path;
    const ScreenRect canvas;
    const double fps;
    const double most;  ///< frames; 0: unlimited
    bool ends = false;  ///< no more frames are accepted

    Shared<std::deque<std::vector<Rgb>>> waiting = {};  ///< frames to be written
    /// Last, because its thread uses the members above. When stopped it writes the waiting frames.
    Background<action::Tell> writer;

    // Returns the next frame, or nothing after the last.
    std::optional<std::vector<Rgb>> next(const std::stop_token& stop) {
        constexpr std::chrono::hours kAnyTime{1};
        while (true) {
            auto frame = waiting.wait(
                stop, kAnyTime, [](const auto& frames) { return !frames.empty(); }, take_first);
            if (frame || stop.stop_requested()) return frame;
        }
    }

    action::Tell write(const std::stop_token& stop) {
        const std::filesystem::path folder = path.parent_path();
        try {
            make_folder(folder, "record to");
            VideoFile file(path, {int(canvas.width), int(canvas.height), fps});
            while (const auto frame = next(stop)) file.add(std::as_bytes(std::span(*frame)));
            if (file.frames() == 0) return {"Recorded nothing: the run was paused", "", false};
            file.finish();
            return {fmt::format("Recorded {} frames to {}", file.frames(), path.string()),
                    folder.string(),
                    false};
        } catch (const std::exception& error) {
            return {fmt::format("Recording ended: {}", error.what()), "", true};
        }
    }
};

CanvasRecorder::CanvasRecorder(std::function<void()> wake) : wake_(std::move(wake)) {}

CanvasRecorder::~CanvasRecorder() = default;  // writes the file

void CanvasRecorder::follow(UiState& ui, bool fresh, int frame_height) {
    CanvasFilm& told = ui.canvas_film;
    const ScreenRect canvas = film_pixels(ui.canvas);
    if (const auto order = ui.take<FilmCanvas>(); order && !film_) {
        const std::string name = "film" + order->ending;
        const std::filesystem::path path = unused_folder(order->folder, {&name, 1}) / name;
        film_.reset(new Film{.path = path,
                             .canvas = canvas,
                             .fps = order->fps,
                             .most = std::round(order->seconds * order->fps),
                             .writer = Background<action::Tell>(wake_)});
        film_->writer.start([film = film_.get()](const std::stop_token& stop) { return film->write(stop); });
        told.place = path.string();
        told.frames = 0;
    }
    const bool stops = ui.take<StopFilm>().has_value();
    if (!film_) return;
    const bool full = film_->most > 0 && double(told.frames) >= film_->most;
    film_->ends |= stops || full || canvas != film_->canvas;
    if (film_->ends) {
        film_->writer.cancel();
    } else if (fresh &&
               film_->waiting.read([](const auto& frames) { return frames.size(); }) < kMostWaiting) {
        film_->waiting.change([&](auto& frames) { frames.push_back(read_pixels(canvas, frame_height)); });
        ++told.frames;
    }
}

bool CanvasRecorder::take(UiState& ui) {
    if (!film_) return false;
    auto outcome = film_->writer.poll();
    if (!outcome) return false;
    ui.act(std::move(*outcome));
    film_.reset();
    ui.canvas_film = {};
    return true;
}

}  // namespace stencil
