// State of the interface itself; the simulation's is in the Snapshot.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/window/canvas_view.h"
#include "app/window/panels/panel_state.h"
#include "kernels/view/brush.h"
#include "sim/examples/example_runner.h"
#include "sim/kernel_trial/kernel_watch.h"
#include "sim/session/action.h"
#include "sim/session/gallery/gallery.h"
#include "sim/session/snapshot.h"

namespace stencil {

/// The tool of the left mouse button on the canvas.
enum class Tool { paint, probe, profile, pick, pan };

inline constexpr std::size_t kMostProfiles = 6;

enum class Theme { dark, light };

inline constexpr double kMinBrushRadius = 0.5, kMaxBrushRadius = 4096;  ///< cells
// Limits of preferences, in pixels at scale 1.
inline constexpr int kMinWindow = 320, kMaxWindow = 16384;  ///< width and height
inline constexpr float kMinFontSize = 10, kMaxFontSize = 32;
inline constexpr float kMinPanelWidth = 280, kMaxPanelWidth = 900;

/// The export panel writes these files into this folder.
struct ExportChoices {
    std::string folder = kExportFolder;
    std::vector<std::string> files = default_exports();
    bool replace = false;  ///< overwrite existing files
    friend bool operator==(const ExportChoices&, const ExportChoices&) = default;
};

/// Choices of the interface, stored in the user's configuration folder between sessions. `view` and the
/// colours are those of the run that is shown: recall() and kept() translate them.
struct Preferences {
    bool smooth = false;
    bool show_numbers = true;  ///< in cells that are large enough
    Brush brush;
    bool straight = false;        ///< strokes are straight lines
    double fill_tolerance = 0.1;  ///< used instead of the radius when filling; in units of the field
    Theme theme = Theme::dark;
    float font_size = 15;      ///< pixels at scale 1
    bool panels = true;        ///< whether they are shown
    float panel_width = 340;   ///< pixels at scale 1
    float editor_width = 540;  ///< width of the large editor, pixels at scale 1
    int window_width = 1280, window_height = 800;
    bool axes = true;  ///< coordinates around the field
    PanelTab panel_tab = PanelTab::model;
    std::vector<std::string> open_sections{"Equation",
                                           "Simulation",
                                           "View",
                                           "Brush",
                                           "Measure",
                                           "Performance",
                                           "Export"};  ///< open sections of the panel, by title
    std::string view = "now";                          ///< as for --view
    std::string colormap, laplacian_colormap;          ///< empty: the model's
    ExportChoices exports;
    std::vector<std::string> recent;  ///< files and folders opened, newest first
    friend bool operator==(const Preferences&, const Preferences&) = default;
};

/// Cost of a frame in the interface, medians over the newest frames, in milliseconds.
struct InterfaceCost {
    double transfer_ms = 0;   ///< upload of pixels: device time with interop, else host time
    double drawing_ms = 0;    ///< GPU time of the field and the interface, from timer queries
    double interface_ms = 0;  ///< host time to build and submit the panels
    double frame_ms = 0;      ///< time between consecutive frames
    double frames_per_s = 0;  ///< frames of the interface
    double fields_per_s = 0;  ///< new fields shown; 0 while paused
    double steps_per_s = 0;   ///< steps of the run between these fields
};

/// How pixels reach the texture.
struct Transfer {
    bool interop = false;
    std::string text;  ///< for the status line, with the reason if they are copied
};

/// Thumbnails on a texture.
struct Thumbnails {
    GalleryPictures pictures;
    std::uintptr_t texture = 0;  ///< OpenGL name; 0: none yet
};

/// Thumbnails of ready runs, models and initial conditions, in the order of gallery_rows(); empty until they
/// are read.
struct GalleryView : Thumbnails {
    bool open = false;
    std::string search;   ///< only rows with this text are shown
    bool wanted = false;  ///< a tile has been visible
};

/// The desktop's file dialog.
struct PathDialog {
    bool known = false, there = false;  ///< whether a program was searched for, and whether one was found
    unsigned field = 0;                 ///< ImGui's ID of the field that asked last
    std::string answer;                 ///< the chosen path, read once by that field
};

/// A film of the canvas, started by hand.
struct CanvasFilm {
    std::string place;  ///< file being written; empty: none
    long long frames = 0;

    bool on() const { return !place.empty(); }
};

// Requests of panels and keys to the main loop. (An Action goes to the session.)
struct ClosePopups {};
/// Moves the keyboard focus to the next part of the window; after the last part, to none.
struct FocusNext {};
struct FocusPrevious {};
/// Opens a section of the panel, in its tab, and scrolls it into view.
struct RevealSection {
    std::string_view title;
};
/// Fixes the range of this setting at the visible values, once their pixels are on the host.
struct FitRange {
    std::string setting;
    std::string formula = {};  ///< formula that has the colours; empty: the first visible one
};
struct CopyText {
    std::string text;
};
struct CopyCanvas {};
enum class PathKind { file, folder };
/// Asks for a path in the desktop's dialog.
struct PathQuestion {
    PathKind kind = PathKind::file;
    std::string start;  ///< initial folder
};
struct FilmCanvas {
    std::string folder, ending;
    double fps = 30;
    double seconds = 0;  ///< length of the film; 0: until it is stopped
};
struct StopFilm {};
struct StartExample {
    ExampleRequest request;
    std::string remark;  ///< added to the report's notes; empty: none
};
struct CancelExample {};
struct RemarkExample {
    std::string note;
};
struct SaveReport {
    std::string folder;
};
struct Quit {};
using UiRequest = std::variant<ClosePopups,
                               FocusNext,
                               FocusPrevious,
                               RevealSection,
                               FitRange,
                               CopyText,
                               CopyCanvas,
                               PathQuestion,
                               FilmCanvas,
                               StopFilm,
                               StartExample,
                               CancelExample,
                               RemarkExample,
                               SaveReport,
                               Quit>;

struct UiState {
    Preferences preferences;
    float scale = 1;  ///< the monitor's content scale times the user's

    // --- View
    std::vector<Pane> panes{Pane::now};  ///< one pane, or the three of three-up
    std::size_t fit_target = 0;          ///< index of the target that the panes of a fit show
    CanvasView view;
    SurfaceView surface;                       ///< viewpoint of the surface
    std::shared_ptr<const OpenedView> opened;  ///< the view applied last
    std::optional<SamplePoint> hover;          ///< point of the field under the mouse

    // --- Tools
    Tool tool = Tool::paint;
    bool erases = false;                ///< the left button paints 0, as the right one does
    std::optional<SamplePoint> picks;   ///< where the brush takes its value, from the next frame
    std::vector<ProfileLine> profiles;  ///< at most kMostProfiles
    std::optional<double> on_profile;   ///< position along the profiles under the mouse in the plot, in cells
    bool wants_histogram = false;       ///< the section that shows it is open
    bool wants_spectrum = false, wants_plane = false;  ///< the sections that show them are open

    std::string compared_gpu;   ///< GPU whose figures the chart of methods shows; empty: the newest
    bool slider_drawn = false;  ///< a parameter's slider is visible in this frame

    ScreenRect canvas;   ///< in the newest frame, in pixels of the frame buffer
    ScreenRect picture;  ///< rectangle of the first pane
    struct ColorBar {
        Pane pane = Pane::now;
        ScreenRect at;  ///< the rectangle of the colours
    };
    std::vector<ColorBar> color_bars;  ///< in the newest frame
    ScreenRect corner;                 ///< strip above the pane in the canvas' upper right corner
    double corner_taken = 0;           ///< width of the buttons at the strip's right end, in the same pixels
    bool bare_canvas = false;          ///< a picture of the canvas is taken in this frame: no buttons
    ScreenRect plots;                  ///< pane for plots; of width 0 if there is none
    bool full_screen = false;          ///< wanted by the user; set by the main loop
    bool presenter = false;            ///< around the canvas there are only a title and one button
    bool help_open = false;
    bool popup_open = false;  ///< in the newest frame
    int frames_per_step = 1;  ///< above 1: slow motion with one step each
    CanvasFilm canvas_film;
    PathDialog dialog;
    std::string said;        ///< last action of the interface, for the status line
    double said_until = -1;  ///< in ImGui's time; negative: not drawn yet
    int heard = 0;           ///< number of the session's messages already shown
    void say(std::string text) {
        said = std::move(text);
        said_until = -1;
    }
    InterfaceCost cost;
    Transfer transfer;
    std::string gl_renderer;

    PanelState panel;
    GalleryView gallery;
    Thumbnails sessions;             ///< thumbnails of PanelState::sessions
    user_kernel::KernelNews kernel;  ///< state of the watched kernel file

    std::vector<Action> actions;  ///< for the engine, in order; taken by the main loop
    void act(Action action) { actions.push_back(std::move(action)); }

    ExampleNews example;  ///< state of the running or last example

    std::vector<UiRequest> requests;  ///< in order; the one who serves a request takes it
    void ask(UiRequest request) { requests.push_back(std::move(request)); }
    /// Returns the first request of this kind, or null.
    template <class T>
    const T* asked() const {
        for (const UiRequest& one : requests)
            if (const T* found = std::get_if<T>(&one)) return found;
        return nullptr;
    }
    /// Takes the first request of this kind.
    template <class T>
    std::optional<T> take() {
        for (auto one = requests.begin(); one != requests.end(); ++one)
            if (T* found = std::get_if<T>(&*one)) {
                T taken = std::move(*found);
                requests.erase(one);
                return taken;
            }
        return std::nullopt;
    }
};

}  // namespace stencil
