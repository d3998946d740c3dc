// Outputs of a scripted window: the cost of its frames, a film of them, and a picture of the last one.
#include <cmath>

#include "app/window/display/screenshot.h"
#include "app/window/main_window.h"

namespace stencil {

nlohmann::ordered_json MainWindow::report() const {
    const Snapshot& now = *snapshot_;
    const auto [width, height] = display_->frame_size();
    nlohmann::ordered_json json;
    json["program"] = "stencilscope";
    json["version"] = STENCILSCOPE_VERSION;
    json["device"] = now.device;
    json["backend"] = now.now.backend;
    json["method"] = now.now.method;
    json["nx"] = now.now.size->nx;
    json["ny"] = now.now.size->ny;
    json["dtype"] = std::string(name_of(now.now.dtype));
    json["step"] = now.step;
    json["steps_per_frame"] = now.last_batch;
    const bool jumps = method_of(now.now)->jumps;
    const auto rate = [&](double value) {
        return jumps ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    };
    json["us_per_step"] = rate(now.speed.us_per_step);
    json["gcells_per_s"] = rate(now.speed.gcells_per_s);
    json["effective_gb_per_s"] = rate(now.speed.effective_gb_per_s);
    json["copy_gb_per_s"] = now.limits.copy_gb_per_s;
    json["window"] = {{"width", width},
                      {"height", height},
                      {"gl_renderer", ui_.gl_renderer},
                      {"gl_version", display_->gl_version()},
                      {"interop", renderer_->transfer().interop},
                      {"transfer", renderer_->transfer().text}};
    const InterfaceCost cost = clock_->cost();
    const FieldRates rates = rate_.per_second(seconds());
    json["frame"] = {{"ms", cost.frame_ms},
                     {"per_s", cost.frames_per_s},
                     {"fields_per_s", rates.fields},
                     {"steps_per_s", rates.steps},
                     {"stepping_ms", now.cost.stepping_ms},
                     {"waiting_ms", now.cost.waiting_ms},
                     {"resampling_ms", now.cost.resampling_ms},
                     {"measuring_ms", now.cost.measuring_ms},
                     {"transfer_ms", renderer_->transfer_ms()},
                     {"drawing_ms", cost.drawing_ms},
                     {"interface_ms", cost.interface_ms}};
    return json;
}

// Films only the canvas, at the size that it has in the first frame.
void MainWindow::film_frame() {
    const auto [width, height] = display_->frame_size();
    if (!film_) {
        const ScreenRect& canvas = ui_.canvas;
        filmed_ = {
            std::floor(canvas.x), std::floor(canvas.y), std::floor(canvas.width), std::floor(canvas.height)};
        const VideoInput input{int(filmed_.width), int(filmed_.height), request_.fps};
        film_ = std::make_unique<VideoFile>(request_.film, input);
    }
    const auto pixels =
        read_pixels(int(filmed_.x), int(filmed_.y), int(filmed_.width), int(filmed_.height), height);
    film_->add(std::as_bytes(std::span(pixels)));
}

void MainWindow::finish_frame(bool shows_request) {
    if (!scripted() || !shows_request) return;
    // A paused run makes no new fields, so every redrawn frame counts.
    if (!snapshot_->running && !frames_are_done()) ++drawn_;
    if (!frames_are_done() || !view_.exact) return;
    finished_ = true;
    if (request_.screenshot.empty()) return;
    const auto [width, height] = display_->frame_size();
    save_screenshot(request_.screenshot, width, height);
}

}  // namespace stencil
