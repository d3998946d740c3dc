// What the interface itself knows: nothing of the simulation, which is in the Snapshot.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/window/canvas/canvas_view.h"
#include "app/window/panels/panel_state.h"
#include "kernels/view/brush.h"
#include "sim/examples/example_runner.h"
#include "sim/session/action.h"
#include "sim/session/gallery.h"
#include "sim/session/snapshot.h"
#include "sim/user_kernel/kernel_watch.h"

namespace stencil {

/// What the left mouse button does on the canvas.
enum class Tool { paint, probe, profile, pick };

inline constexpr std::size_t kMostProfiles = 6;

enum class Theme { dark, light };

/// Kept in the user's configuration folder from one start to the next.
struct Preferences {
    Theme theme = Theme::dark;
    float font_size = 15;     ///< pixels at scale 1
    bool panels = true;       ///< shown
    float panel_width = 340;  ///< pixels at scale 1
    int window_width = 1280, window_height = 800;
    std::vector<std::string> prompts_done;  ///< of the first minute, by name
    bool axes = true;                       ///< coordinates around the field
    std::vector<std::string> open_sections{
        "Equation", "Simulation", "View", "Brush"};  ///< of the panel, by title
    std::string view = "now";                        ///< as --view spells it
    bool smooth = false, show_numbers = true;
    std::string colormap, laplacian_colormap;  ///< empty: as the model has it
    Brush brush;
    bool straight = false;        ///< its strokes are lines
    double fill_tolerance = 0.1;  ///< of values
    std::string export_folder = kExportFolder;
    std::vector<std::string> export_files = default_exports();
    bool export_replace = false;
    std::vector<std::string> recent;  ///< files and folders that were opened, the newest first
    friend bool operator==(const Preferences&, const Preferences&) = default;
};

/// What a frame costs on the interface's side, medians over the newest frames, in milliseconds.
struct InterfaceCost {
    double transfer_ms = 0;   ///< pixels into the texture: device time with interop, else the host's
    double drawing_ms = 0;    ///< GPU time of the field and the interface, by timer queries
    double interface_ms = 0;  ///< host time of building the panels and submitting them
    double frame_ms = 0;      ///< between two frames while frames follow each other
    double frames_per_s = 0;  ///< of the interface
    double fields_per_s = 0;  ///< new fields shown; 0 while the run stands still
    double steps_per_s = 0;   ///< that these came to
};

/// How the pixels get into the texture.
struct Transfer {
    bool interop = false;
    std::string text;  ///< for the status line, with the reason where it is a copy
};

// What the examples' runner is told.
struct StartExample {
    ExampleRequest request;
    std::string remark;  ///< for the report's notes; empty: none
};
struct CancelExample {};
struct RemarkExample {
    std::string note;
};
struct SaveReport {
    std::string folder;
};
using RunnerOrder = std::variant<StartExample, CancelExample, RemarkExample, SaveReport>;

/// The pictures of what a run can begin with.
struct GalleryView {
    bool open = false;
    std::size_t wanted = 0;      ///< so many of the rows have been seen
    Gallery::Pictures pictures;  ///< in the order of gallery_rows(); empty before any was wanted
    std::uintptr_t texture = 0;  ///< OpenGL's name of what holds them all
};

enum class PathKind { file, folder };

struct PathQuestion {
    PathKind kind = PathKind::file;
    std::string start;  ///< the folder that is seen first
};

/// The desktop's dialog for paths.
struct PathDialog {
    bool known = false, there = false;  ///< such a program was looked for, and is installed
    unsigned field = 0;                 ///< ImGui's ID of the field that asked last
    std::optional<PathQuestion> asked;  ///< once, for the main loop
    std::string answer;                 ///< for that field, once
};

/// A film of the canvas, begun by hand.
struct CanvasFilm {
    struct Order {
        std::string folder, ending;
        double fps = 30;
    };
    std::optional<Order> asked;  ///< once
    bool stop = false;           ///< once
    std::string place;           ///< where the one goes that is being made; empty: none is
    long long frames = 0;
    bool on() const { return !place.empty(); }
};

struct UiState {
    Preferences preferences;
    float scale = 1;  ///< the monitor's content scale (hi-dpi) times the user's wish

    // View.
    std::vector<Pane> panes{Pane::now};  ///< one, or the three of three-up
    bool smooth = false;
    bool show_numbers = true;  ///< of cells, where they are large enough
    CanvasView view;
    SurfaceView surface;               ///< where that is shown
    std::optional<SamplePoint> hover;  ///< within the field

    // Tools.
    Tool tool = Tool::paint;
    Brush brush;
    bool straight = false;              ///< a stroke is one line, from where it begins to where it ends
    bool erases = false;                ///< the left button paints 0, as the right one does
    double fill_tolerance = 0.1;        ///< the radius of a fill, which is no length
    std::optional<SamplePoint> picks;   ///< the brush is to take the value there, once a frame has it
    std::vector<ProfileLine> profiles;  ///< at most kMostProfiles
    std::optional<double> on_profile;   ///< how far along them the mouse is in their plot, cells
    bool wants_histogram = false;       ///< the section that shows it is open
    bool wants_spectrum = false, wants_plane = false;  ///< as well

    std::string visible_range;  ///< once: the setting that is to span what is visible

    std::optional<float> slider_y;  ///< of the first parameter's slider in this frame, ImGui's coordinates

    ScreenRect canvas;   ///< of the newest frame, pixels of the frame buffer
    ScreenRect picture;  ///< of its first pane
    struct ColorBar {
        Pane pane = Pane::now;
        ScreenRect at;  ///< of its colours
    };
    std::vector<ColorBar> color_bars;  ///< of the newest frame
    ScreenRect plots;                  ///< its pane for plots; of width 0 where there is none
    bool full_screen = false;          ///< wished for; the main loop follows
    bool help_open = false;
    bool popup_open = false;    ///< in the newest frame
    bool close_popups = false;  ///< once, before the next frame is drawn
    int part_step = 0;          ///< once: the keyboard goes to the next part (1) or the one before (-1)
    bool about_to_close = false;
    std::string clipboard;      ///< what goes there, once
    bool copy_picture = false;  ///< of the canvas, once
    CanvasFilm canvas_film;
    PathDialog dialog;
    std::string said;        ///< what the interface has just done, for the status line
    double said_until = -1;  ///< ImGui's time; negative: not drawn yet
    int heard = 0;           ///< of what the session has said so far, how much was shown
    void say(std::string text) {
        said = std::move(text);
        said_until = -1;
    }
    InterfaceCost cost;
    Transfer transfer;
    std::string gl_renderer;

    PanelState panel;
    GalleryView gallery;
    user_kernel::KernelNews kernel;  ///< of the file that is watched

    std::vector<Action> actions;  ///< for the engine, in their order; taken by the main loop
    void act(Action action) { actions.push_back(std::move(action)); }

    ExampleNews example;                     ///< of the one that runs, or ran last
    std::vector<RunnerOrder> runner_orders;  ///< for the runner, in their order; taken by the main loop
};

}  // namespace stencil
