// The panels. Each function draws its part into the current ImGui window, reads the snapshot and appends
// actions; its state is in UiState::panel.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/commands.h"
#include "sim/figure/chart.h"
#include "sim/run/output/measures.h"
#include "sim/user_kernel/user_kernel.h"

struct ImVec2;

namespace stencil {

inline constexpr double kLargestPanelShare = 0.45;  ///< relative to the window's width
inline constexpr double kLargestEditorShare =
    0.65;  ///< width of the large editor, relative to the room beside the panel

/// Draws the interface except the canvas, between ImGui's NewFrame and Render: toolbar on top, panel at the
/// left, status line below, canvas in the rest, whose rectangle is then in UiState::canvas. Returns whether
/// something is animated, so that another frame should be drawn soon.
bool draw_interface(UiState& ui, const Snapshot& snapshot);

void draw_toolbar(UiState& ui, const Snapshot& snapshot);
/// Returns the height of the toolbar's largest button.
float toolbar_height();
/// Draws the tools of the left mouse button below each other, as squares of this side.
void draw_tools(UiState& ui, const Snapshot& snapshot);
float tool_side();
/// Draws buttons of the view in the canvas' upper right corner (UiState::corner), as far as there is room.
void draw_canvas_corner(UiState& ui, const Snapshot& snapshot);
/// Draws at most four pieces: step and time, state, speed, and the last message or the cell under the mouse.
void draw_status_line(UiState& ui, const Snapshot& snapshot);
/// Returns the tooltips of the status line, which also tell what has no room on the line.
std::vector<std::string> status_tooltips(const UiState& ui, const Snapshot& snapshot);
void draw_timeline(UiState& ui, const Snapshot& snapshot);

/// Draws the newest message over the canvas: an error until it is settled or dismissed, others for some time.
void draw_notices(UiState& ui, const Snapshot& snapshot);
/// Whether a message is shown only for some time, so that frames must go on.
bool notice_fades(const UiState& ui, const Snapshot& snapshot);

/// Draws the help in its own window while UiState::help_open.
void draw_help(UiState& ui, const Snapshot& snapshot);

/// Draws the presenter's strip above the canvas: Run or Pause, the model's title, and the time.
void draw_presenter(UiState& ui, const Snapshot& snapshot);
float presenter_height();

/// Draws the start page over the canvas until the first click; the first key ends it too (handle_key).
void draw_start_page(UiState& ui, const Snapshot& snapshot);

/// Draws the gallery in its own window while UiState::gallery is open.
void draw_gallery(UiState& ui, const Snapshot& snapshot);

/// Return whether a thumbnail exists; draw it, centred in a square.
bool has_thumbnail(const Thumbnails& thumbnails, std::size_t index);
void draw_thumbnail(const Thumbnails& thumbnails, std::size_t index, ImVec2 at, float side);

/// A kept session that can be continued.
struct SessionRow {
    std::size_t index = 0;  ///< index in PanelState::sessions
    std::string path;
    const GalleryPicture* card = nullptr;  ///< null until it is read
};
/// Returns the kept sessions, newest first, and reads their cards in the background. Call it while they are
/// visible.
std::vector<SessionRow> sessions_to_continue(UiState& ui);
/// Draws a row with the session's thumbnail. Returns whether it was clicked.
bool draw_session(const UiState& ui, const std::string& label, const SessionRow& session, float width = 0);
/// Returns a model's title; for a text without one, its first line.
std::string model_title(const Model& model);
/// Names a path by its end, and a file of a run by its folder, too.
std::string brief_name(const std::filesystem::path& path);

struct TileLook {
    float side;             ///< side of the picture in pixels
    bool chosen = false;    ///< draws a frame
    float text_beside = 0;  ///< width in pixels of title and sentence at the right; 0: title alone, below
};

/// Draws row `index` of gallery_rows(), and requests its picture if needed. Returns true if clicked. The
/// tooltip shows the row's sentence and `option`, the command-line option that starts such a run.
bool gallery_tile(UiState& ui, std::size_t index, const TileLook& look, std::string_view option);

// Sections of the side panel.
void draw_equation(UiState& ui, const Snapshot& snapshot);
void draw_simulation(UiState& ui, const Snapshot& snapshot);
void draw_initial(UiState& ui, const Snapshot& snapshot);
void draw_view(UiState& ui, const Snapshot& snapshot);
void draw_sweep(UiState& ui, const Snapshot& snapshot);
void draw_fit(UiState& ui, const Snapshot& snapshot);
void draw_brush(UiState& ui, const Snapshot& snapshot);
void draw_measure(UiState& ui, const Snapshot& snapshot);
void draw_performance(UiState& ui, const Snapshot& snapshot);
void draw_code(UiState& ui, const Snapshot& snapshot);
void draw_exports(UiState& ui, const Snapshot& snapshot);
void draw_examples(UiState& ui, const Snapshot& snapshot);
void draw_kernel(UiState& ui, const Snapshot& snapshot);
void draw_ladder(UiState& ui, const Snapshot& snapshot);

/// Draws the occupancy of a kernel that was compiled for a compute capability, on a GPU that a menu chooses.
void draw_occupancy(UiState& ui,
                    const user_kernel::Usage& usage,
                    const user_kernel::LaunchShape& shape,
                    int compiled_for);

/// A picture of cells, in rows of one letter each, or of boxes that pass the field on from left to right.
struct MethodPicture {
    /// '#' is updated, 'A' and 'B' are too, by different threads; 'h' is read only.
    std::vector<std::string_view> cells = {};
    std::vector<std::string_view> boxes = {};
    std::string_view legend;  ///< below it
};
void draw_picture(const MethodPicture& picture);

/// Draws the tooltip of a method's name: its card and `beside`, such as why the method is not offered.
void method_tooltip(const Method& method, std::string_view beside);

/// Draws the card of a method, if it has one, into the open tooltip: what it does, why that is faster, and
/// what limits it.
void draw_method_card(const Method& method);

// Parts of the equation's section.

/// Draws one row per parameter, with a context menu that sets its range, resets it, or begins runs over it.
void draw_parameters(UiState& ui, const Snapshot& snapshot);
/// Draws the conditions of a component at its four sides.
void draw_sides(UiState& ui, const Snapshot& snapshot);
/// Draws the units of length and time, the present time and, for diffusion, D in those units.
void draw_units(UiState& ui, const Snapshot& snapshot);
/// Shows the time step, its stability limit, and the term that sets the limit.
void draw_time_step(UiState& ui, const Snapshot& snapshot);
/// Returns the text as typed if the session does not have it, because it has a mistake or was refused.
std::string unapplied_text(const EquationState& state);
/// Draws the editor and its error. Ctrl+Enter applies the text at once.
void draw_editor(UiState& ui, const Snapshot& snapshot);
/// Applies the typed text after a pause in typing. Call in every frame, even if no editor is visible.
void follow_equation(UiState& ui, const Snapshot& snapshot);
/// Draws the editor in a pane of its own, with the equations typeset or the reference card.
void draw_large_editor(UiState& ui, const Snapshot& snapshot);
/// Returns why the text is invalid, or nothing if it is valid.
std::optional<Mistake> find_mistake(const std::string& text);

/// Makes a file a target of the fit: an array or picture at the present time, or a table.
void add_fit_target(UiState& ui, const Snapshot& snapshot, const std::string& file);
/// Makes a file that was dropped on the window a target of the fit, while its section is visible and says so;
/// returns whether it did.
bool take_drop(UiState& ui, const Snapshot& snapshot, const std::string& path);

/// Call in every frame, even if the section is hidden: if "live" is on, a kernel that passed its check begins
/// to step the field, once, so that another method can be chosen afterwards.
void follow_kernel(UiState& ui, const Snapshot& snapshot);
/// Watches this file from now on and shows the section.
void choose_kernel(UiState& ui, const std::string& file);
/// Writes a rung of the ladder into the working folder, unless there is such a file, and chooses it.
void start_kernel(UiState& ui, const std::string& rung);

/// The effect of another size: the memory needed, or why the size is refused. The text is empty while
/// unknown.
struct MemoryPreview {
    bool fits = true;
    std::string text;
};
MemoryPreview memory_preview(const Snapshot& snapshot, Size size, MemoryNeedsOf& known);

/// Draws folder, files and the button; also used by the toolbar's popup.
void draw_export_choice(UiState& ui, const Snapshot& snapshot);
/// Draws the list of things to open: the last session, a checkpoint, recent files, any path.
void draw_open_choice(UiState& ui, const Snapshot& snapshot);
/// Draws a button with the dialog that records a film or frames; while one is recorded the button stops it.
void draw_film_button(UiState& ui, const Snapshot& snapshot);
void stop_recording(UiState& ui);

/// Returns the row of the shown pane, kThreeUp or kComponents.
const PaneRow& shown_view(const UiState& ui);
/// Returns the title of that row; for a difference from a bookmark it names the bookmark. `brief`: a shorter
/// title.
std::string shown_title(const UiState& ui, const Snapshot& snapshot, bool brief = false);

/// Draws controls for the colour map, scale and range of a formula's or the Laplacian's colours.
void draw_color_controls(UiState& ui, const Snapshot& snapshot, bool laplacian, const std::string& formula);

/// Draws a choice of what the canvas shows, as wide as set by SetNextItemWidth.
void view_combo(UiState& ui, const Snapshot& snapshot, const std::string& shown, std::string_view tip);

// The mouse on colour bars.

/// Returns the name of the setting that holds a pane's range; empty for differences, which have none.
std::string_view range_setting(Pane pane);
/// Returns the range after dragging its low or high end by a share of its width (to the right if > 0). The
/// ends never meet; in a range centred at zero they move symmetrically.
RangeRule dragged_range(const ValueRange& range, bool centred, bool high, double by);
/// Handles the mouse on UiState::color_bars: drag, double click (back to the automatic range), right button
/// (menu). Draws only the menu and tooltips.
void take_color_bar_input(UiState& ui, const Snapshot& snapshot);
/// Serves FitRange with the next frame whose pixels are on the host.
void hold_visible_range(UiState& ui, const Snapshot& snapshot);

// Actions that take long, which are all shown and stopped in the same way.

struct LongAction {
    std::string_view key;         ///< constant while the action lasts
    std::string name;             ///< such as "jumping to step 5000"
    std::optional<double> share;  ///< done, 0 to 1; empty: unknown
    UiCommand stop = nullptr;
    std::string_view stop_tip;
    bool on_canvas = true;  ///< shown on the canvas; false for a film of the canvas
};

/// Returns the running actions; the first is stopped first.
std::vector<LongAction> long_actions(const UiState& ui, const Snapshot& snapshot);
/// Draws name, progress bar and a Stop button for each, in a window over the canvas.
void draw_long_actions(UiState& ui, const Snapshot& snapshot);
/// Stops the first long action; Esc does this if no popup is open.
void stop_long_action(UiState& ui, const Snapshot& snapshot);

// Plots of profiles and probes, in their section, in the canvas' fourth pane, and enlarged; and of the
// spectrum and the phase plane, which the engine computes only while they are visible.

/// Returns the quantity of the canvas' main pane, whose values are plotted and shown as numbers.
std::string main_quantity(const UiState& ui, const Snapshot& snapshot);
/// Plots the values along each line, and the kept curves.
figure::Chart profile_chart(const UiState& ui, const Snapshot& snapshot);
/// Draws a ring at the point under the mouse on the canvas. When the mouse is over the plot, it sets
/// UiState::on_profile, which the canvas marks.
void draw_profile_plot(UiState& ui, const Snapshot& snapshot, float height);
/// Returns which of `count` (>= 2) samples from end to end of a line is nearest to a point; empty if the
/// point is more than a few cells from the line.
std::optional<std::size_t> nearest_sample(const ProfileLine& line, std::size_t count, SamplePoint place);
/// The axis of plots over time: the time where the run has a unit of it, else the step.
class TimeAxis {
  public:
    explicit TimeAxis(const RunSpec& spec);
    const std::string& label() const { return label_; }
    double at(long long step) const;

  private:
    /// From this step on a step takes the time `per_step`.
    struct Change {
        long long step = 0;
        double time = 0, per_step = 1;
    };
    std::vector<Change> changes_;  ///< ascending; empty: the axis shows steps
    std::string label_ = "Step";
};
/// Plots the probes' values over time, one curve each.
figure::Chart probes_chart(const Snapshot& snapshot);
/// Returns whether there is a line or probe; three-up makes room for their plots.
bool has_plots(const UiState& ui, const Snapshot& snapshot);
/// Draws buttons over the rest of the line: keep the profile's curve, write CSV, enlarge the plots.
void draw_plot_buttons(UiState& ui, const Snapshot& snapshot);
/// Draws the plots in the canvas' fourth pane, if UiState::plots has one, and in their own window if
/// requested.
void draw_plots(UiState& ui, const Snapshot& snapshot);
void draw_spectrum(UiState& ui, const Snapshot& snapshot);
/// Draws a part of the equation's section: growth rates over the wave number, and below them the measured
/// spectrum. Draws nothing if the model has no dispersion relation.
void draw_dispersion(UiState& ui, const Snapshot& snapshot);
/// Draws these plots in their own window if requested. Call in every frame: the ring over the field needs the
/// dispersion relation, too.
void draw_large_dispersion(UiState& ui, const Snapshot& snapshot);
/// Draws nothing if the model has one component.
void draw_phase_plane(UiState& ui, const Snapshot& snapshot);
/// Appends the newest frame to the probes' trajectories, which restart with another run or other probes.
void follow_ways(MeasureState& state, const Snapshot& snapshot);

// The side panel.

struct Section {
    PanelTab tab;
    const char* title;  ///< stored in Preferences::open_sections
    const char* tip;
    void (*draw)(UiState&, const Snapshot&);
};

/// Returns the sections in order, without sections that have nothing to show.
std::span<const Section> sections();

/// Returns the tab of the section with this title; empty if there is none.
std::optional<PanelTab> tab_of(std::string_view section);

/// Shows the tab of a section that is to be revealed. Call in every frame.
void follow_revealed(UiState& ui);

void draw_panel_tabs(UiState& ui);
/// Draws the sections of the shown tab, each below its header.
void draw_side_panel(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
