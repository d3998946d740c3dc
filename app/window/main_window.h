// The window's main loop: handles input, draws, and requests work from the engine.
#pragma once

#include <memory>
#include <mutex>

#include "app/window/canvas/canvas.h"
#include "app/window/desktop.h"
#include "app/window/display/canvas_recorder.h"
#include "app/window/display/display.h"
#include "app/window/display/field_renderer.h"
#include "app/window/display/frame_clock.h"
#include "app/window/display/gallery_texture.h"
#include "app/window/field_rate.h"
#include "app/window/remembered.h"
#include "app/window/ui_state.h"
#include "app/window/window_command.h"
#include "sim/run/output/film.h"
#include "sim/session/engine/engine.h"
#include "sim/text/json.h"

namespace stencil {

class MainWindow {
  public:
    explicit MainWindow(const WindowRequest& request);
    ~MainWindow();
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    /// One iteration: waits for an event, and draws if the picture changed. Returns false when the window
    /// should close. Throws what kept the session from being made.
    bool turn();

    /// Saves the preferences and the session, unless the window is scripted.
    void keep();

    /// Returns the contents of the performance panel, for --json.
    nlohmann::ordered_json report() const;

  private:
    bool scripted() const { return request_.frames > 0; }
    Preferences preferences() const;
    void take_events();
    void take_snapshot();
    void take_example_news();
    void take_gallery();
    void watch_kernel();
    void take_kernel_news();
    void wake();
    void pass_runner_orders();
    bool example_goes_on() const;
    void follow_scale();
    void build(CanvasOutput& canvas);
    void ask_engine(ViewRequest request);
    void zoom_to(double scale);
    void draw(const CanvasOutput& canvas);
    void note_field();
    bool frames_are_done() const { return drawn_ >= request_.frames; }
    void finish_frame(bool shows_request);
    void film_frame();
    bool goes_on() const;
    double patience() const;
    double seconds() const;

    WindowRequest request_;
    UiState ui_;
    Canvas canvas_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::mutex wake_mutex_;  ///< guards display_ against wake() from other threads
    std::unique_ptr<Display> display_;
    std::unique_ptr<FieldRenderer> renderer_;
    std::unique_ptr<FrameClock> clock_;
    FieldRate rate_;
    // Their threads use the display and its mutex, so they are declared after and destroyed before it.
    std::unique_ptr<Gallery> gallery_;  ///< made when its pictures are first visible
    std::unique_ptr<GalleryTexture> gallery_texture_;
    std::unique_ptr<ExampleRunner> examples_;
    std::unique_ptr<user_kernel::KernelWatch> kernel_;  ///< made with its first file
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<Desktop> desktop_;
    std::unique_ptr<CanvasRecorder> canvas_recorder_;
    ViewRequest view_;
    SessionKeeper keeper_;
    float font_pixels_ = 0;
    Theme theme_ = Theme::dark;
    bool full_screen_ = false;
    bool example_news_ = false;
    int redraws_ = 3;       ///< frames still to draw, because ImGui settles a frame or two after an event
    double begun_ = 0;      ///< start of the newest frame, by seconds()
    bool follows_ = false;  ///< the newest frame followed the previous one without a pause
    bool moves_ = false;
    long long shown_step_ = 0;         ///< step of the field on the screen
    long long drawn_ = 0;              ///< scripted window: frames of the field drawn so far
    std::unique_ptr<VideoFile> film_;  ///< scripted window: made at its first frame
    ScreenRect filmed_;                ///< the canvas at that time
    bool finished_ = false;            ///< the last frame was drawn exactly as requested
};

}  // namespace stencil
