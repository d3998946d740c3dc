#include "app/window/main_window.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "app/interrupt.h"
#include "app/window/canvas/canvas.h"
#include "app/window/desktop.h"
#include "app/window/display/canvas_recorder.h"
#include "app/window/display/display.h"
#include "app/window/display/field_renderer.h"
#include "app/window/display/frame_clock.h"
#include "app/window/display/gallery_texture.h"
#include "app/window/display/gl_objects.h"
#include "app/window/opening.h"
#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/scripted_run.h"
#include "app/window/sessions.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "kernels/cpu/late_library.h"
#include "kernels/cuda/profile_range.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/machine/kernel_cache.h"
#include "sim/run/output/video.h"
#include "sim/session/engine/engine.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

// While something changes, frames are drawn at least this often (seconds); when idle the window only polls
// for news from the engine and draws nothing.
constexpr double kBusyPatience = 1.0 / 32;
constexpr double kIdlePatience = 0.5;
constexpr double kFrameOfSlowMotion = 1.0 / 60;  // assumed duration of a frame of slow motion, in seconds
// ImGui needs a frame or two after an event for hovering and new sizes to settle.
constexpr int kSettlingFrames = 3;

/// The window and its main loop: handles input, draws, and requests work from the engine.
class MainWindow {
  public:
    explicit MainWindow(const WindowRequest& request)
        : request_(request),
          snapshot_(first_snapshot(request.spec)),
          ui_(first_state(request_, *snapshot_)),
          script_(request_),
          keeper_(!request.plain) {
        DisplayOptions options;
        options.width = ui_.preferences.window_width;
        options.height = ui_.preferences.window_height;
        options.vsync = request.vsync;
        display_ = std::make_unique<Display>(options);
        ui_.gl_renderer = display_->gl_renderer();
        renderer_ = std::make_unique<FieldRenderer>(request.interop);
        clock_ = std::make_unique<FrameClock>(request.vsync ? display_->refresh_rate() : 0);
        follow_scale();
        SessionOptions session;
        session.running = !request.paused && !request.tour && !request.go_to;
        session.stop_at = request.stop_at;
        // Few steps per frame, to show the beginning on fast machines.
        constexpr long long kFewSteps = 10, kMostSteps = 20;
        session.steps_per_frame =
            request.steps_per_frame.value_or(request.plain && !script_.on() ? 0 : kFewSteps);
        if (!request.steps_per_frame) session.most_auto = kMostSteps;
        engine_ = std::make_unique<Engine>(request_.spec, session, [this] { wake(); });
        examples_ = std::make_unique<ExampleRunner>([this] { wake(); });
        desktop_ = std::make_unique<Desktop>([this] { wake(); });
        canvas_recorder_ = std::make_unique<CanvasRecorder>([this] { wake(); });
        thumbnails_ = std::make_unique<ThumbnailTextures>([this] { wake(); });
    }

    // Close the window first, because the engine may still have to finish a step.
    ~MainWindow() {
        clock_.reset();
        renderer_.reset();
        thumbnails_.reset();
        const std::lock_guard lock(wake_mutex_);
        display_.reset();
    }
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    /// One iteration: waits for an event, and draws if the picture changed. Returns false when the window
    /// should close. Throws what kept the session from being made.
    bool turn() {
        display_->wait_events(patience());
        hand_back();
        const auto before = snapshot_;
        take_snapshot();
        if (before != snapshot_ && !goes_on()) draw_soon(kSettlingFrames);
        // When the session is stored, its thumbnail is taken from a frame drawn then.
        keeper_.draft = unapplied_text(ui_.panel.equation);
        if (!script_.on() && keeper_.due(snapshot_, seconds())) draw_soon();
        if (const std::string why = keeper_.take_trouble(); !why.empty()) {
            ui_.act(action::Tell{"A crash would lose this session: " + why, "", true});
            draw_soon();
        }
        const bool example_news = take_news(ui_.example, examples_.get());
        if (take_news(ui_.kernel, kernel_.get())) draw_soon();
        if (thumbnails_->take(ui_)) draw_soon();
        if (desktop_->serve(ui_) || canvas_recorder_->take(ui_)) draw_soon(kSettlingFrames);
        take_events();
        const bool news =
            before != snapshot_ || example_news || (goes_on() && seconds() - begun_ >= kBusyPatience);
        if (closes()) return false;
        if (!news && redraws_ == 0) {
            follows_ = false;
            return true;
        }
        if (redraws_ > 0) --redraws_;
        clock_->wait_until_due();
        begun_ = seconds();
        clock_->begin_frame(follows_);
        follows_ = true;
        draw_frame();
        return !script_.finished();
    }

    /// Saves the preferences and the session, unless the window is scripted.
    void keep(bool crashed = false) {
        if (script_.on()) return;
        keeper_.draft = unapplied_text(ui_.panel.equation);
        save_preferences(preferences());
        if (!crashed) {
            ends_ = true;
            draw_frame();
        }
        keeper_.finish(*snapshot_, picture_);
    }

    /// Saves the session without the display, whose connection is lost.
    void keep_session() {
        if (script_.on()) return;
        keeper_.draft = unapplied_text(ui_.panel.equation);
        keeper_.finish(*snapshot_, picture_);
    }

    /// Returns the contents of the performance panel, for --json.
    nlohmann::ordered_json report() const {
        return window_report(ui_, *snapshot_, display_->frame_size(), display_->gl_version(), start_);
    }

  private:
    Preferences preferences() const {
        Preferences preferences = kept(ui_, snapshot_->now);
        const auto [width, height] = display_->logical_size();
        if (!full_screen_ && width > 0 && height > 0) {
            preferences.window_width = width;
            preferences.window_height = height;
        }
        return preferences;
    }

    static double seconds() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    bool goes_on() const {
        return script_.on() || snapshot_->running || !snapshot_->busy.empty() || example_goes_on() || moves_;
    }

    void draw_frame() {
        const ProfileRange range("frame");
        follow_scale();
        CanvasOutput canvas;
        build(canvas);
        draw(canvas);
    }

    // Returns how many seconds to wait for news.
    double patience() const {
        if (redraws_ > 0) return 0;
        if (drawn_ != handed_back_) return std::clamp(hand_back_at_ - seconds(), 0.0, kBusyPatience);
        return goes_on() ? std::max(0.0, kBusyPatience - (seconds() - begun_)) : kIdlePatience;
    }

    void take_snapshot() {
        engine_->check();
        if (auto newest = engine_->snapshot()) snapshot_ = std::move(newest);
    }

    // Returns the drawn frame to the engine, which then makes the next steps; in slow motion after as many
    // frames as a step shall last.
    void hand_back() {
        if (drawn_ == handed_back_ || seconds() < hand_back_at_) return;
        handed_back_ = drawn_;
        engine_->frame_taken(drawn_);
    }

    void draw_soon(int frames = 1) { redraws_ = std::max(redraws_, frames); }

    // Fetches the newest result of a thread; returns whether it is new.
    template <class News, class Source>
    static bool take_news(News& news, const Source* source) {
        const auto before = news.version;
        if (source) news = source->news();
        return news.version != before;
    }

    // Watches the kernel's file; changed settings of the run start its check anew.
    void watch_kernel() {
        const std::string& file = ui_.panel.kernel.file;
        if (!kernel_ && file.empty()) return;
        if (!kernel_) kernel_ = std::make_unique<user_kernel::KernelWatch>([this] { wake(); });
        if (snapshot_->frame) kernel_->watch(file, snapshot_->now);
    }

    void wake() {
        const std::lock_guard lock(wake_mutex_);
        if (display_) Display::wake();
    }

    bool example_goes_on() const {
        return ui_.example.running || ui_.example.saving || ui_.panel.examples.waiting;
    }

    void take_events() {
        if (display_->take_input()) draw_soon(kSettlingFrames);
        EquationState& equation = ui_.panel.equation;
        for (int typed = 0; const KeyPress& press : display_->take_keys()) {
            const bool opened = equation.takes_focus;
            if (handle_key(press, ui_, *snapshot_)) draw_soon(kSettlingFrames);
            typed += press.types;
            if (!opened && equation.takes_focus) equation.typed_before = typed;
        }
        for (const std::string& path : display_->take_drops())
            if (!take_drop(ui_, *snapshot_, path)) open_path(ui_, path);
    }

    // Remakes fonts and sizes when the monitor's scale, the font size or the theme change, or texts have
    // other characters.
    void follow_scale() {
        const float content = request_.scale.value_or(display_->content_scale());
        const float pixels = std::round(ui_.preferences.font_size * content);
        const bool fonts = pixels != font_pixels_ || std::exchange(more_glyphs_, false);
        if (!fonts && theme_ == ui_.preferences.theme) return;
        font_pixels_ = pixels;
        theme_ = ui_.preferences.theme;
        ui_.scale = pixels / Preferences().font_size;
        apply_theme(theme_, ui_.scale);
        if (!fonts) return;
        load_fonts(pixels, glyphs_);
        display_->remake_font_texture();
    }

    void build(CanvasOutput& output) {
        ui_.cost = clock_->cost();
        ui_.cost.transfer_ms = renderer_->transfer_ms();
        const FieldRates rates = rate_.per_second(seconds());
        ui_.cost.fields_per_s = rates.fields;
        ui_.cost.steps_per_s = rates.steps;
        ui_.transfer = renderer_->transfer();
        // Begin the example after the first field, because making that uses all processors.
        if (request_.example && snapshot_->frame)
            ui_.panel.examples.waiting = std::exchange(request_.example, std::nullopt);
        ui_.bare_canvas = script_.films() || ui_.canvas_film.on() || ui_.asked<CopyCanvas>();
        display_->begin_frame();
        const bool moves = draw_interface(ui_, *snapshot_);
        output =
            canvas_.update(ui_, *snapshot_, {ui_.canvas, canvas_colors(ui_.preferences.theme), seconds()});
        moves_ = output.moves || moves;
        if (request_.zoom && snapshot_->frame) zoom_to(*std::exchange(request_.zoom, {}));
        hold_visible_range(ui_, *snapshot_);
        ask_engine(std::move(output.request));
        follow_tour(ui_, *snapshot_);
        if (!ui_.actions.empty()) draw_soon(kSettlingFrames);
        engine_->send(std::exchange(ui_.actions, {}));
        if (serve_examples(ui_, *examples_, snapshot_->machine)) draw_soon(kSettlingFrames);
        watch_kernel();
        if (ui_.full_screen != full_screen_) display_->set_full_screen(full_screen_ = ui_.full_screen);
        if (const auto copy = ui_.take<CopyText>()) display_->set_clipboard(copy->text);
    }

    void ask_engine(ViewRequest request) {
        request.host_pixels = !renderer_->transfer().interop || ui_.asked<FitRange>();
        request.exact = script_.needs_exact();
        request.serial = view_.serial;
        if (view_.serial > 0 && request == view_) return;
        view_ = std::move(request);
        ++view_.serial;
        engine_->see(view_);
    }

    // Zooms about the canvas' centre.
    void zoom_to(double scale) {
        const ScreenRect& picture = ui_.picture;
        const FieldSize field{snapshot_->frame->nx, snapshot_->frame->ny};
        ui_.view = one_to_one(ui_.view, picture);
        if (scale == 1) return;
        ui_.view = zoomed(
            ui_.view, picture, field, scale, picture.x + picture.width / 2, picture.y + picture.height / 2);
    }

    void draw(const CanvasOutput& canvas) {
        const auto [width, height] = display_->frame_size();
        for (std::size_t slot = 0; slot < canvas.drawings.size(); ++slot)
            renderer_->prepare(int(slot), canvas.drawings[slot]);
        clock_->begin_drawing();
        display_->clear(canvas_colors(ui_.preferences.theme).background);
        for (std::size_t slot = 0; slot < canvas.drawings.size(); ++slot)
            renderer_->draw(int(slot), canvas.drawings[slot], width, height);
        if (snapshot_->frame && !script_.on()) keep_picture(height);
        display_->end_frame();
        more_glyphs_ = false;
        for (const unsigned code : missing_glyphs(*ImGui::GetDrawData()))
            more_glyphs_ |= glyphs_.insert(code).second;
        if (more_glyphs_) draw_soon();
        clock_->end_drawing();
        clock_->end_frame();
        const auto& frame = snapshot_->frame;
        const bool fits = request_.fits && (!snapshot_->fit || snapshot_->fit->running);
        const bool awaits = request_.example || example_goes_on() || fits;
        const bool settled =
            frame && frame->serial == view_.serial && snapshot_->busy.empty() && !awaits && !more_glyphs_;
        const bool counts = script_.take(
            {frame && is_new(*frame), settled, !snapshot_->running, view_.exact, ui_.canvas, width, height});
        canvas_recorder_->follow(ui_, counts, height);
        // The canvas is copied in the frame after the button was pressed, which is drawn without buttons.
        if (ui_.bare_canvas && ui_.take<CopyCanvas>()) desktop_->copy_canvas(ui_, height);
        if (ui_.asked<CopyCanvas>()) draw_soon();
        // Concurrent steps would share the GPU with drawing and make it four times as slow; they may run
        // while swapping waits for the monitor.
        display_->finish_drawing();
        // A scripted run steps from frame to frame: not while an example or a fit runs, and not beyond the
        // last frame.
        const bool goes_on = !script_.on() || (!awaits && !script_.done());
        if (frame && goes_on && frame->count != drawn_) {
            drawn_ = frame->count;
            hand_back_at_ = script_.on() ? 0 : begun_ + (ui_.frames_per_step - 1) * kFrameOfSlowMotion;
        }
        hand_back();
        display_->swap();
        if (start_.first_frame == 0) start_.first_frame = seconds() - made_;
        if (frame && start_.first_field == 0) start_.first_field = seconds() - made_;
    }

    // Whether the window closes now. It first waits for files that are being written or were requested,
    // unless it is closed twice.
    bool closes() {
        const bool quits = ui_.take<Quit>().has_value();
        const bool asked = display_->take_close() || quits;
        if (!asked && !closing_) return false;
        const bool up_to_date = ui_.actions.empty() && engine_->is_up_to_date();
        if (up_to_date && !engine_->snapshot()->exporting) return true;
        if (asked && closing_) {
            engine_->send({action::CancelExport{}});
            return true;
        }
        if (asked) {
            closing_ = true;
            ui_.act(
                action::Tell{"The window closes once its files are written; close it again to stop them"});
            draw_soon(kSettlingFrames);
        }
        return false;
    }

    // Returns whether no frame before showed this field.
    bool is_new(const Frame& frame) {
        if (!snapshot_->running && snapshot_->busy.empty()) rate_.rest();
        if (frame.step == shown_step_ || frame.mid_batch) return false;
        shown_step_ = frame.step;
        rate_.shown(seconds(), frame.step);
        return true;
    }

    // Stores the session if that is due, and at the end, with a thumbnail of the field. Call it before the
    // interface is drawn over the field. Reading pixels takes milliseconds, so it is done for that only.
    void keep_picture(int height) {
        const auto read = [&] {
            const ScreenRect at = whole_pixels(ui_.picture);
            if (at.width >= 1 && at.height >= 1)
                picture_ = thumbnail_of(int(at.width), int(at.height), read_pixels(at, height));
            return picture_;
        };
        if (ends_)
            read();
        else
            keeper_.follow(snapshot_, seconds(), read);
    }

    WindowRequest request_;
    std::shared_ptr<const Snapshot> snapshot_;
    UiState ui_;
    ScriptedRun script_;
    Canvas canvas_;
    std::mutex wake_mutex_;  ///< guards display_ against wake() from other threads
    std::unique_ptr<Display> display_;
    std::unique_ptr<FieldRenderer> renderer_;
    std::unique_ptr<FrameClock> clock_;
    FieldRate rate_;
    // The threads of these use the display and its mutex, so they are declared after and destroyed before it.
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<ExampleRunner> examples_;
    std::unique_ptr<user_kernel::KernelWatch> kernel_;  ///< made with the first file
    std::unique_ptr<Desktop> desktop_;
    std::unique_ptr<CanvasRecorder> canvas_recorder_;
    std::unique_ptr<ThumbnailTextures> thumbnails_;
    ViewRequest view_;
    SessionKeeper keeper_;
    GalleryPicture picture_;  ///< picture of the field when the session was last stored
    bool closing_ = false;    ///< the window was closed while files were being written
    bool ends_ = false;       ///< this frame is the last one
    float font_pixels_ = 0;
    std::set<unsigned> glyphs_;  ///< characters of texts that the first atlas lacks
    bool more_glyphs_ = false;   ///< they are not all in the atlas yet
    Theme theme_ = Theme::dark;
    bool full_screen_ = false;
    int redraws_ = 3;  ///< frames still to draw, because ImGui settles a frame or two after an event
    const double made_ = seconds();              ///< when the program began to make the window
    StartTimes start_;                           ///< durations since made_
    double begun_ = 0;                           ///< start of the newest frame, by seconds()
    std::uint64_t drawn_ = 0, handed_back_ = 0;  ///< counts of frames of the field
    double hand_back_at_ = 0;                    ///< by seconds()
    bool follows_ = false;  ///< the newest frame followed the previous one without a pause
    bool moves_ = false;
    long long shown_step_ = 0;  ///< step of the field on the screen
};

// Lets glibc return large blocks: several threads allocate and free blocks as large as a field, and their
// arenas would keep them (memory in use grew by half within three minutes).
void return_memory() {
#ifdef __GLIBC__
    constexpr int kArenas = 2, kLargeBlock = 256 * 1024;
    mallopt(M_ARENA_MAX, kArenas);
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
#endif
}

MainWindow* open_window = nullptr;

// Xlib ends the program when its connection is lost.
int leave_display(void*) {
    if (open_window) std::exchange(open_window, nullptr)->keep_session();
    std::fputs("stencilscope: the connection to the display is lost; the session is kept (--continue)\n",
               stderr);
    std::_Exit(1);
}

void watch_connection(MainWindow& window) {
    open_window = &window;
    void (*set_handler)(int (*)(void*)) = nullptr;
    if (void* x11 = load_library({"libX11.so.6"}); x11 && find_symbol(x11, "XSetIOErrorHandler", set_handler))
        set_handler(leave_display);
}

}  // namespace

int window_command(const WindowRequest& request) {
    return_memory();
    check_sections(request);
    watch_for_interrupts();
    const std::string inputs[] = {parse_initial(request.spec.initial).file};
    if (!request.screenshot.empty()) {
        require_not_input(request.screenshot, "screenshot", inputs);
        require_writable(request.screenshot, Given{"screenshot"}, Links::followed);
    }
    if (const std::string why = why_no_video(); !request.film.empty() && !why.empty())
        throw MachineError(fmt::format("cannot write {}: {}", request.film, why));
    check_json_file(request.json, "", inputs);
    const auto warm = warm_up_compiler();
    MainWindow window(request);
    watch_connection(window);
    try {
        while (window.turn() && interrupt_signal() == 0) {
        }
        if (!request.json.empty()) write_text_file(request.json, json_text(window.report()), Links::followed);
    } catch (...) {
        window.keep(true);
        throw;
    }
    open_window = nullptr;
    window.keep();
    return interrupt_signal() == 0 ? 0 : 128 + interrupt_signal();
}

}  // namespace stencil
