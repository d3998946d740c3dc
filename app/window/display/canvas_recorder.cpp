#include "app/window/display/canvas_recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "app/window/display/gl_objects.h"
#include "sim/files/folder.h"
#include "sim/run/output/video.h"

namespace stencil {
namespace {

constexpr std::size_t kMostWaiting = 8;  // frames

}  // namespace

struct CanvasRecorder::Film {
    const std::filesystem::path path;
    const ScreenRect canvas;
    const double fps;
    const double most;  ///< frames; 0: any number
    const std::function<void()> wake;

    std::mutex mutex = {};  ///< guards the members below
    std::condition_variable_any changed = {};
    std::deque<std::vector<Rgb>> waiting = {};
    std::optional<action::Tell> outcome = {};  ///< set once everything is written
    std::jthread thread = {};  ///< last, so that it ends before what it uses; stopped, it writes what waits

    void add(std::vector<Rgb> frame) {
        const std::lock_guard lock(mutex);
        waiting.push_back(std::move(frame));
        changed.notify_one();
    }
    bool has_room() {
        const std::lock_guard lock(mutex);
        return waiting.size() < kMostWaiting;
    }

    // Returns the next frame, or nothing after the last.
    std::optional<std::vector<Rgb>> next(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [&] { return !waiting.empty(); })) return std::nullopt;
        std::vector<Rgb> frame = std::move(waiting.front());
        waiting.pop_front();
        return frame;
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
        film_.reset(new Film{path, canvas, order->fps, std::round(order->seconds * order->fps), wake_});
        film_->thread = std::jthread([film = film_.get()](const std::stop_token& stop) {
            action::Tell end = film->write(stop);
            std::unique_lock lock(film->mutex);
            film->outcome = std::move(end);
            lock.unlock();
            film->wake();
        });
        told.place = path.string();
        told.frames = 0;
    }
    const bool stops = ui.take<StopFilm>().has_value();
    if (!film_) return;
    const bool full = film_->most > 0 && double(told.frames) >= film_->most;
    if (stops || full || canvas != film_->canvas) {
        film_->thread.request_stop();
    } else if (fresh && film_->has_room() && !film_->thread.get_stop_token().stop_requested()) {
        film_->add(read_pixels(canvas, frame_height));
        ++told.frames;
    }
}

bool CanvasRecorder::take(UiState& ui) {
    if (!film_) return false;
    std::optional<action::Tell> outcome;
    {
        const std::lock_guard lock(film_->mutex);
        outcome = std::exchange(film_->outcome, {});
    }
    if (!outcome) return false;
    ui.act(std::move(*outcome));
    film_.reset();
    ui.canvas_film = {};
    return true;
}

}  // namespace stencil
