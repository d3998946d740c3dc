#include "app/window/scripted_run.h"

#include <span>

#include "app/window/display/gl_objects.h"

namespace stencil {

bool ScriptedRun::take(const DrawnFrame& frame) {
    if (!on()) return frame.fresh;
    const long long before = drawn_;
    drawn_ += frame.fresh;
    // A paused run makes no new fields, so every redrawn frame counts.
    if (frame.settled && frame.paused && !done()) ++drawn_;
    finished_ = finished_ || (frame.settled && done() && frame.exact);
    if (finished_ && !screenshot_.empty()) save_screenshot(screenshot_, frame.width, frame.height);
    if (drawn_ > before && films()) {
        // Film only the canvas, at its size in the first frame.
        if (!film_) {
            filmed_ = film_pixels(frame.canvas);
            const VideoInput input{int(filmed_.width), int(filmed_.height), fps_};
            film_ = std::make_unique<VideoFile>(film_file_, input);
        }
        const auto pixels = read_pixels(filmed_, frame.height);
        film_->add(std::as_bytes(std::span(pixels)));
    }
    if (finished_ && film_) film_->finish();
    return drawn_ > before;
}

nlohmann::ordered_json window_report(const UiState& ui,
                                     const Snapshot& now,
                                     std::pair<int, int> size,
                                     const std::string& gl_version,
                                     const StartTimes& start) {
    const bool jumps = method_of(now.now)->jumps;
    const auto rate = [&](double value) {
        return jumps ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    };
    return {{"program", "stencilscope"},
            {"version", STENCILSCOPE_VERSION},
            {"device", now.device},
            {"backend", now.now.backend},
            {"method", now.now.method},
            {"nx", now.now.size->nx},
            {"ny", now.now.size->ny},
            {"dtype", std::string(name_of(now.now.dtype))},
            {"step", now.step},
            {"steps_per_frame", now.last_batch},
            {"us_per_step", rate(now.speed.us_per_step)},
            {"gcells_per_s", rate(now.speed.gcells_per_s)},
            {"effective_gb_per_s", rate(now.speed.effective_gb_per_s)},
            {"copy_gb_per_s", now.limits.copy_gb_per_s},
            {"window",
             {{"width", size.first},
              {"height", size.second},
              {"gl_renderer", ui.gl_renderer},
              {"gl_version", gl_version},
              {"interop", ui.transfer.interop},
              {"transfer", ui.transfer.text}}},
            {"start", {{"first_frame_s", start.first_frame}, {"first_field_s", start.first_field}}},
            {"frame",
             {{"ms", ui.cost.frame_ms},
              {"per_s", ui.cost.frames_per_s},
              {"fields_per_s", ui.cost.fields_per_s},
              {"steps_per_s", ui.cost.steps_per_s},
              {"stepping_ms", now.cost.stepping_ms},
              {"waiting_ms", now.cost.waiting_ms},
              {"resampling_ms", now.cost.resampling_ms},
              {"measuring_ms", now.cost.measuring_ms},
              {"transfer_ms", ui.cost.transfer_ms},
              {"drawing_ms", ui.cost.drawing_ms},
              {"interface_ms", ui.cost.interface_ms}}}};
}

}  // namespace stencil
