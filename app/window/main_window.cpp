#include "app/window/main_window.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
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
#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/machine/kernel_cache.h"
#include "sim/run/output/video.h"
#include "sim/run/resolve.h"
#include "sim/session/engine/engine.h"
#include "sim/session/gallery/thumbnail.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

// While something changes, frames are drawn at least this often (seconds); when idle the window only polls
// for news from the engine and draws nothing.
constexpr double kBusyPatience = 1.0 / 32;
constexpr double kIdlePatience = 0.5;
// ImGui needs a frame or two after an event for hovering and new sizes to settle.
constexpr int kSettlingFrames = 3;

// Shown by the panels until the session exists.
std::shared_ptr<const Snapshot> first_snapshot(const RunSpec& asked) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->machine = std::make_shared<Machine>(query_machine());
    snapshot->now = resolve(asked, *snapshot->machine);
    snapshot->spec = snapshot->now;
    snapshot->busy = "making the initial field";
    return snapshot;
}

// Screenshots made by scripts contain no prompts unless asked for.
std::vector<std::string> prompts_done(const WindowRequest& request, const Preferences& preferences) {
    if (request.prompts) return {};
    return request.frames > 0 ? names_of(prompts()) : preferences.prompts_done;
}

Preferences preferences_for(const WindowRequest& request, std::string& trouble) {
    Preferences preferences = request.frames > 0 ? Preferences() : load_preferences(&trouble);
    preferences.prompts_done = prompts_done(request, preferences);
    if (request.theme) preferences.theme = *request.theme;
    if (request.sections) {
        preferences.open_sections = *request.sections;
        if (!request.sections->empty())
            preferences.panel_tab = tab_of(request.sections->front()).value_or(preferences.panel_tab);
    }
    if (request.window) {
        preferences.window_width = request.window->nx;
        preferences.window_height = request.window->ny;
    }
    return preferences;
}

// A run is refused where --show or --arrows exists at no moment of it; a window tells, and shows the rest.
std::string unread_formula(const RunSpec& spec) {
    try {
        spec.require_formula(spec.show);
        spec.require_arrows();
        return "";
    } catch (const InputError& mistake) {
        return mistake.what();
    }
}

/// The window and its main loop: handles input, draws, and requests work from the engine.
class MainWindow {
  public:
    explicit MainWindow(const WindowRequest& request)
        : request_(request), snapshot_(first_snapshot(request.spec)) {
        std::string trouble;
        ui_.preferences = preferences_for(request, trouble);
        for (const std::string& told : {request.trouble, trouble, unread_formula(request.spec)})
            if (!told.empty()) ui_.act(action::Tell{told, "", true});
        if (!scripted()) {
            recall(ui_, request_.spec);
            ui_.panel.start = {request.start_page, request.start_page && last_session_crashed()};
            ui_.panel.exports.last_session = copy_last_session();
        }
        if (request.panes) ui_.panes = *request.panes;
        ui_.profiles = request.spec.profiles;
        ui_.surface = request.spec.surface;
        if (!request.out.empty())
            ui_.panel.exports.folder = ui_.panel.measure.folder = ui_.panel.examples.folder = request.out;
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
        if (request.go_to) ui_.act(action::Jump{*request.go_to, false});
        session.stop_at = request.stop_at;
        session.steps_per_frame = request.steps_per_frame;
        engine_ = std::make_unique<Engine>(request_.spec, session, [this] { wake(); });
        examples_ = std::make_unique<ExampleRunner>([this] { wake(); });
        desktop_ = std::make_unique<Desktop>([this] { wake(); });
        canvas_recorder_ = std::make_unique<CanvasRecorder>([this] { wake(); });
        if (!request.kernel.empty()) choose_kernel(ui_, request.kernel);
        ui_.panel.examples.large = request.large_results;
        ui_.panel.examples.held = scripted();
        ui_.presenter = request.presenter;
        if (request.editor) toggle_large_editor(ui_, *snapshot_);
        if (request.tour) begin_tour(ui_, *snapshot_);
        if (!request.example) return;
        show_request(ui_.panel.examples, *request.example);
        ui_.ask(RevealSection{"Examples"});
    }

    // Close the window first, because the engine may still have to finish a step.
    ~MainWindow() {
        clock_.reset();
        renderer_.reset();
        gallery_texture_.reset();
        recent_texture_.reset();
        const std::lock_guard lock(wake_mutex_);
        display_.reset();
    }
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    /// One iteration: waits for an event, and draws if the picture changed. Returns false when the window
    /// should close. Throws what kept the session from being made.
    bool turn() {
        display_->wait_events(patience());
        const auto before = snapshot_;
        take_snapshot();
        // The session is kept with a picture of the frame that is drawn then.
        if (!scripted() && keeper_.due(snapshot_, seconds())) redraws_ = std::max(redraws_, 1);
        take_example_news();
        take_gallery();
        take_recent();
        take_kernel_news();
        if (desktop_->serve(ui_) || canvas_recorder_->take(ui_)) redraws_ = kSettlingFrames;
        take_events();
        const bool news =
            before != snapshot_ || example_news_ || (goes_on() && seconds() - begun_ >= kBusyPatience);
        if (ui_.take<Quit>() || display_->should_close()) return false;
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
        return !finished_;
    }

    /// Saves the preferences and the session, unless the window is scripted.
    void keep(bool crashed = false) {
        if (scripted()) return;
        save_preferences(preferences());
        if (!crashed) {
            ends_ = true;
            draw_frame();
        }
        keeper_.finish(*snapshot_, crashed, picture_);
    }

    /// Returns the contents of the performance panel, for --json.
    nlohmann::ordered_json report() const {
        const Snapshot& now = *snapshot_;
        const auto [width, height] = display_->frame_size();
        const InterfaceCost cost = clock_->cost();
        const FieldRates rates = rate_.per_second(seconds());
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
                 {{"width", width},
                  {"height", height},
                  {"gl_renderer", ui_.gl_renderer},
                  {"gl_version", display_->gl_version()},
                  {"interop", renderer_->transfer().interop},
                  {"transfer", renderer_->transfer().text}}},
                {"start", {{"first_frame_s", first_frame_}, {"first_field_s", first_field_}}},
                {"frame",
                 {{"ms", cost.frame_ms},
                  {"per_s", cost.frames_per_s},
                  {"fields_per_s", rates.fields},
                  {"steps_per_s", rates.steps},
                  {"stepping_ms", now.cost.stepping_ms},
                  {"waiting_ms", now.cost.waiting_ms},
                  {"resampling_ms", now.cost.resampling_ms},
                  {"measuring_ms", now.cost.measuring_ms},
                  {"transfer_ms", renderer_->transfer_ms()},
                  {"drawing_ms", cost.drawing_ms},
                  {"interface_ms", cost.interface_ms}}}};
    }

  private:
    bool scripted() const { return request_.frames > 0; }
    bool frames_are_done() const { return drawn_ >= request_.frames; }

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
        return scripted() || snapshot_->running || !snapshot_->busy.empty() || example_goes_on() || moves_;
    }

    void draw_frame() {
        follow_scale();
        CanvasOutput canvas;
        build(canvas);
        draw(canvas);
    }

    // Returns how many seconds to wait for news.
    double patience() const {
        if (redraws_ > 0) return 0;
        return goes_on() ? std::max(0.0, kBusyPatience - (seconds() - begun_)) : kIdlePatience;
    }

    void take_snapshot() {
        engine_->check();
        if (auto newest = engine_->snapshot()) snapshot_ = std::move(newest);
    }

    void take_example_news() {
        const std::uint64_t before = ui_.example.version;
        ui_.example = examples_->news();
        example_news_ = ui_.example.version != before;
    }

    // Thumbnails are made when they are first visible.
    void take_gallery() {
        if (ui_.gallery.wanted == 0) return;
        if (!gallery_) {
            gallery_ = std::make_unique<Gallery>([this] { wake(); });
            gallery_texture_ = std::make_unique<GalleryTexture>();
        }
        gallery_->want(ui_.gallery.wanted);
        Gallery::Pictures pictures = gallery_->pictures();
        if (pictures == ui_.gallery.pictures) return;
        ui_.gallery.pictures = std::move(pictures);
        gallery_texture_->take(ui_.gallery.pictures);
        ui_.gallery.texture = gallery_texture_->name();
        redraws_ = std::max(redraws_, 1);
    }

    // Thumbnails of what was opened before are read while they are visible.
    void take_recent() {
        const RecentPictures& made = ui_.panel.recent.pictures.result;
        if (made.pictures == ui_.recent.pictures) return;
        if (!recent_texture_) recent_texture_ = std::make_unique<GalleryTexture>();
        recent_texture_->take(made.pictures);
        ui_.recent.pictures = made.pictures;
        ui_.recent.paths = made.paths;
        ui_.recent.texture = recent_texture_->name();
        redraws_ = std::max(redraws_, 1);
    }

    // Watches the kernel's file; its check starts anew if the run's settings change.
    void watch_kernel() {
        const std::string& file = ui_.panel.kernel.file;
        if (!kernel_ && file.empty()) return;
        if (!kernel_) kernel_ = std::make_unique<user_kernel::KernelWatch>([this] { wake(); });
        if (snapshot_->frame) kernel_->watch(file, snapshot_->now);
    }

    void take_kernel_news() {
        if (!kernel_) return;
        const std::uint64_t before = ui_.kernel.version;
        ui_.kernel = kernel_->news();
        if (ui_.kernel.version != before) redraws_ = std::max(redraws_, 1);
    }

    void wake() {
        const std::lock_guard lock(wake_mutex_);
        if (display_) Display::wake();
    }

    bool example_goes_on() const {
        return ui_.example.running || ui_.example.saving || ui_.panel.examples.waiting;
    }

    void take_events() {
        if (display_->take_input()) redraws_ = kSettlingFrames;
        EquationState& equation = ui_.panel.equation;
        for (int typed = 0; const KeyPress& press : display_->take_keys()) {
            const bool opened = equation.takes_focus;
            if (handle_key(press, ui_, *snapshot_)) redraws_ = kSettlingFrames;
            typed += press.types;
            if (!opened && equation.takes_focus) equation.typed_before = typed;
        }
        for (const std::string& path : display_->take_drops()) open_path(ui_, path);
    }

    // Remakes fonts and sizes when the monitor's scale, the font size or the theme change.
    void follow_scale() {
        const float content = request_.scale.value_or(display_->content_scale());
        const float pixels = std::round(ui_.preferences.font_size * content);
        if (pixels == font_pixels_ && theme_ == ui_.preferences.theme) return;
        const bool fonts = pixels != font_pixels_;
        font_pixels_ = pixels;
        theme_ = ui_.preferences.theme;
        ui_.scale = pixels / Preferences().font_size;
        apply_theme(theme_, ui_.scale);
        if (!fonts) return;
        load_fonts(pixels);
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
        ui_.bare_canvas = !request_.film.empty() || ui_.canvas_film.on() || ui_.asked<CopyCanvas>();
        display_->begin_frame();
        const bool moves = draw_interface(ui_, *snapshot_);
        output =
            canvas_.update(ui_, *snapshot_, {ui_.canvas, canvas_colors(ui_.preferences.theme), seconds()});
        moves_ = output.moves || moves;
        if (request_.zoom && snapshot_->frame) zoom_to(*std::exchange(request_.zoom, {}));
        hold_visible_range(ui_, *snapshot_);
        ask_engine(std::move(output.request));
        follow_prompts(ui_, *snapshot_);
        follow_tour(ui_, *snapshot_);
        if (!ui_.actions.empty()) redraws_ = kSettlingFrames;
        engine_->send(std::exchange(ui_.actions, {}));
        if (serve_examples(ui_, *examples_, snapshot_->machine)) redraws_ = kSettlingFrames;
        watch_kernel();
        if (ui_.full_screen != full_screen_) display_->set_full_screen(full_screen_ = ui_.full_screen);
        if (const auto copy = ui_.take<CopyText>()) display_->set_clipboard(copy->text);
    }

    void ask_engine(ViewRequest request) {
        request.host_pixels = !renderer_->transfer().interop || ui_.asked<FitRange>();
        // A picture that is saved must show exactly its step, even if the machine is slow.
        request.exact = scripted() && (frames_are_done() || !request_.film.empty());
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
        if (snapshot_->frame && !scripted()) keep_picture(height);
        display_->end_frame();
        clock_->end_drawing();
        clock_->end_frame();
        const auto& frame = snapshot_->frame;
        const bool awaits_example = request_.example || example_goes_on();
        const long long before = drawn_;
        if (frame) note_field();
        finish_frame(frame && frame->serial == view_.serial && snapshot_->busy.empty() && !awaits_example);
        if (drawn_ > before && !request_.film.empty()) film_frame();
        if (finished_ && film_) film_->finish();
        canvas_recorder_->follow(ui_, drawn_ > before, height);
        // A button asks while its frame is drawn: the picture is that of the next one.
        if (ui_.bare_canvas && ui_.take<CopyCanvas>()) desktop_->copy_canvas(ui_, height);
        if (ui_.asked<CopyCanvas>()) redraws_ = std::max(redraws_, 1);
        // Concurrent steps would share the GPU with drawing and make it four times as slow; they may run
        // while swapping waits for the monitor.
        display_->finish_drawing();
        // A scripted run steps from frame to frame: not while an example runs, and not beyond the last frame.
        const bool goes_on = !scripted() || (!awaits_example && !frames_are_done());
        if (frame && goes_on) engine_->frame_taken(frame->count);
        display_->swap();
        if (first_frame_ == 0) first_frame_ = seconds() - made_;
        if (frame && first_field_ == 0) first_field_ = seconds() - made_;
    }

    void note_field() {
        const Frame& frame = *snapshot_->frame;
        if (!snapshot_->running && snapshot_->busy.empty()) rate_.rest();
        if (frame.step == shown_step_ || frame.mid_batch) return;
        shown_step_ = frame.step;
        rate_.shown(seconds(), frame.step);
        ++drawn_;
    }

    // Films only the canvas, at the size that it has in the first frame.
    void film_frame() {
        if (!film_) {
            filmed_ = film_pixels(ui_.canvas);
            const VideoInput input{int(filmed_.width), int(filmed_.height), request_.fps};
            film_ = std::make_unique<VideoFile>(request_.film, input);
        }
        const auto pixels = read_pixels(filmed_, display_->frame_size().second);
        film_->add(std::as_bytes(std::span(pixels)));
    }

    // Keeps the session if that is due, and at the end, with a thumbnail of the field: call it before the
    // interface is drawn over that. Reading pixels back takes milliseconds, so it is not done more often.
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

    void finish_frame(bool shows_request) {
        if (!scripted() || !shows_request) return;
        // A paused run makes no new fields, so every redrawn frame counts.
        if (!snapshot_->running && !frames_are_done()) ++drawn_;
        if (!frames_are_done() || !view_.exact) return;
        finished_ = true;
        if (request_.screenshot.empty()) return;
        const auto [width, height] = display_->frame_size();
        save_screenshot(request_.screenshot, width, height);
    }

    WindowRequest request_;
    UiState ui_;
    Canvas canvas_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::mutex wake_mutex_;  ///< guards display_ against wake() from other threads
    std::unique_ptr<Display> display_;
    std::unique_ptr<FieldRenderer> renderer_;
    std::unique_ptr<FrameClock> clock_;
    FieldRate rate_;
    std::unique_ptr<GalleryTexture> gallery_texture_, recent_texture_;
    // Their threads use the display and its mutex, so they are declared after and destroyed before it.
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<ExampleRunner> examples_;
    std::unique_ptr<user_kernel::KernelWatch> kernel_;  ///< made with its first file
    std::unique_ptr<Gallery> gallery_;                  ///< made when its pictures are first visible
    std::unique_ptr<Desktop> desktop_;
    std::unique_ptr<CanvasRecorder> canvas_recorder_;
    ViewRequest view_;
    SessionKeeper keeper_;
    GalleryPicture picture_;  ///< of the field, when the session was kept last
    bool ends_ = false;       ///< the frame that is drawn is the last one
    float font_pixels_ = 0;
    Theme theme_ = Theme::dark;
    bool full_screen_ = false;
    bool example_news_ = false;
    int redraws_ = 3;  ///< frames still to draw, because ImGui settles a frame or two after an event
    const double made_ = seconds();  ///< when the program came to make the window
    double first_frame_ = 0;         ///< seconds from then to the first frame, and to the first with a field
    double first_field_ = 0;
    double begun_ = 0;      ///< start of the newest frame, by seconds()
    bool follows_ = false;  ///< the newest frame followed the previous one without a pause
    bool moves_ = false;
    long long shown_step_ = 0;         ///< step of the field on the screen
    long long drawn_ = 0;              ///< scripted window: frames of the field drawn so far
    std::unique_ptr<VideoFile> film_;  ///< scripted window: made at its first frame
    ScreenRect filmed_;                ///< the canvas at that time
    bool finished_ = false;            ///< the last frame was drawn exactly as requested
};

void check_sections(const WindowRequest& request) {
    if (!request.sections) return;
    std::vector<std::string> known;
    for (const Section& section : sections()) known.emplace_back(section.title);
    for (const std::string& title : *request.sections)
        if (std::ranges::find(known, title) == known.end())
            throw InputError("--sections: " + unknown_name_message("section", title, known));
}

// Lets glibc return large blocks: several threads allocate and free blocks as large as a field, and their
// arenas would keep them (memory in use grew by half within three minutes).
void return_memory() {
#ifdef __GLIBC__
    constexpr int kArenas = 2, kLargeBlock = 256 * 1024;
    mallopt(M_ARENA_MAX, kArenas);
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
#endif
}

}  // namespace

int window_command(const WindowRequest& request) {
    return_memory();
    check_sections(request);
    watch_for_interrupts();
    const std::string inputs[] = {parse_initial(request.spec.initial).file};
    if (!request.screenshot.empty()) {
        require_not_input(request.screenshot, "--screenshot", inputs);
        require_writable(request.screenshot, "--screenshot: this file");
    }
    if (const std::string why = why_no_video(); !request.film.empty() && !why.empty())
        throw MachineError(fmt::format("cannot write {}: {}", request.film, why));
    check_json_file(request.json, "", inputs);
    const auto warm = warm_up_compiler();
    MainWindow window(request);
    try {
        while (window.turn() && interrupt_signal() == 0) {
        }
        if (!request.json.empty()) write_text_file(request.json, json_text(window.report()));
    } catch (...) {
        window.keep(true);
        throw;
    }
    window.keep();
    return interrupt_signal() == 0 ? 0 : 128 + interrupt_signal();
}

}  // namespace stencil
