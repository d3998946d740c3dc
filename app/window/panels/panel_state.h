// State that the panels keep between frames: texts being typed, drags in progress.
#pragma once

#include <any>
#include <array>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sim/code/generated_code.h"
#include "sim/editing/text_edit.h"
#include "sim/examples/example.h"
#include "sim/examples/report.h"
#include "sim/figure/chart.h"
#include "sim/machine/background.h"
#include "sim/run/limit_watch.h"
#include "sim/run/output/dispersion.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/film_request.h"
#include "sim/run/resolve.h"
#include "sim/session/gallery/gallery.h"
#include "sim/session/view.h"
#include "sim/view/value_range.h"

namespace stencil {

/// The tabs of the side panel; each section belongs to one (sections()).
enum class PanelTab { model, view, measure, performance, files };
inline constexpr std::array<std::string_view, 5> kPanelTabs{
    "Model", "View", "Measure", "Performance", "Files"};  ///< their titles, by PanelTab

namespace user_kernel {
struct UserKernel;
}

/// A number while it is typed. The field shows the session's value until it is edited, and after sending it
/// shows the draft until the session has had time to apply it.
struct NumberDraft {
    std::string text, before;  ///< the text now, and when editing began
    std::string wrong;         ///< why the text was refused; empty: it was not
    bool says = false;         ///< show the reason below the field
    bool active = false;
    double hold_until = 0;  ///< in ImGui's time
};

/// A number that is dragged or typed.
struct SliderDraft {
    double value = 0, before = 0;         ///< the value now, and when the mouse was pressed
    bool sent = false, dragging = false;  ///< state of the drag
    bool typing = false, focus = false;   ///< shown as a text field; the text field takes the focus
    double hold_until = 0;                ///< in ImGui's time
    NumberDraft typed;
};

/// Cache of the memory that a run needs: computing it parses the equations, too slow for every frame.
struct MemoryNeedsOf {
    std::string key;  ///< the settings that it was computed for
    MemoryNeeds needs;
    std::string failure;
};

struct SimulationState {
    int nx = 0, ny = 0;  ///< the typed size, not yet applied; 0: the session's size
    MemoryNeedsOf needs;
    long long steps = 100;
    long long jump = 1000;
    Ending stop_at = 10000;      ///< where the run stops if the box is ticked
    std::string side_component;  ///< component whose boundary conditions are shown
};

/// The range of a parameter's slider, where it differs from the model's.
struct SliderRange {
    std::optional<double> low, high;
};

/// An error in a text: the message, and its position in the text and in a line of it.
struct Mistake {
    std::string sentence, line;
    std::size_t number = 0, column = 0;  ///< 1-based
    std::size_t begin = 0, end = 0;      ///< bytes of the text
};

struct TextCache;

struct EquationState {
    editing::TextEdit edit;  ///< the text as typed
    std::string seen, sent;  ///< the session's text when last copied, and the text that was last applied
    std::string model;  ///< the model's text then, without the run's settings; empty: read the session's anew
    std::string draft;  ///< text of a kept session, shown once that is at its last step
    std::string next_draft;            ///< text of a session that is being opened
    std::shared_ptr<TextCache> cache;  ///< results derived from the text
    double typed_at = -1;              ///< ImGui's time of the newest change not yet parsed; negative: none
    double hold_until = 0;  ///< ImGui's time until which the session may still be applying the text
    bool goes_on = false;   ///< the next change belongs to the same undo entry
    bool large = false;     ///< shown in a pane of its own beside the canvas
    bool card = false;      ///< that pane shows the reference card instead of the typeset equations

    bool editing = false;      ///< the text was drawn in this frame, and has the focus
    bool active = false;       ///< the text has the focus
    bool takes_focus = false;  ///< the text takes the focus in the next frame
    int typed_before = 0;      ///< characters typed in this frame before the key that entered the text
    bool scrolling = false, dragging = false, shows_caret = false;
    std::optional<float> wish_x;  ///< column that moving up and down keeps to
    bool listed = false;          ///< completions are shown
    bool any = false;             ///< completions are shown although no word has begun
    bool chooses = false;         ///< a completion was selected with an arrow key
    std::size_t chosen = 0;

    std::optional<Mistake> mistake;
    int messages_before = 0;  ///< number of the newest message when a text was applied
    std::map<std::string, SliderRange> ranges;
};

/// The dispersion relation, and what it was computed for.
struct DispersionState {
    std::optional<DispersionRelation> relation;
    std::shared_ptr<const StepLimit> at;
    std::vector<double> parameters;
    double spacing = 0;
    bool large = false;  ///< the plots are in a window of their own
};

struct InitialState {
    std::size_t component = 0;  ///< for typed equations
    std::string seen;           ///< the session's initial condition when the draft was made from it
    std::string name;           ///< the chosen initial condition, applied or not; empty: a file
    int choices = 0;            ///< number of choices so far: fields forget what was typed for earlier ones
    std::map<std::string, double, std::less<>> parameters;
    std::string path;
    std::string path_error;  ///< why the path could not be opened
    int opened_after = 0;    ///< number of the newest message when a path was opened; 0: none was
};

struct BrushState {
    bool percent = false;  ///< the radius is shown and kept as a share of the field's longer side
    int side = 0;          ///< the longer side in the newest frame, in cells
};

inline constexpr const char* kExportFolder = "stencilscope-out";

struct MeasureState {
    std::size_t series = 0;                             ///< plotted row of the table of time series
    bool log_counts = false;                            ///< histogram with a logarithmic axis
    std::vector<figure::ChartSeries> kept;              ///< kept curves of the profile
    bool large = false;                                 ///< the plots are in a window of their own
    std::vector<ProbeTrajectory> trajectories;          ///< of the probes, since the plane has been visible
    std::shared_ptr<const PhasePlane> trajectories_to;  ///< the frame's data that was appended last
    std::string folder = kExportFolder;
};

/// Content of a film: only the cells; with axes, colour bar and title; or the canvas.
enum class FilmOf { field, figure, canvas };

struct ExportState {
    std::string spec_path;
    long long record_every = 100;
    bool record_png = true, record_npy = false;
    std::string film;           ///< ending such as ".mp4" to record a film; empty: frames
    bool film_offered = false;  ///< the dialog was open, and preselected a film if ffmpeg exists
    FilmOf film_of = FilmOf::field;
    FilmRequest choices;      ///< options of the film except file, content and length
    bool from_start = false;  ///< repeat the run; false: record from now on
    double length = 10;       ///< seconds of a film from the start
    double stop_after = 0;    ///< seconds of a film from now on; 0: until it is stopped
};

/// A result that is made in the background, so that no frame waits for it.
template <class T>
struct Job {
    T result;
    std::string failure;  ///< the message of the exception that `make` threw; empty: there is a result
    std::string key;      ///< what the result was made for; empty: there is none yet
    std::string begun;
    /// Shared, so that the state can be copied.
    std::shared_ptr<Background<T>> work = std::make_shared<Background<T>>();

    /// Begins `make`, unless the result is for this key or earlier work is running. Returns whether the
    /// result is for this key. Work that fails has an empty result and is not repeated for the same key.
    template <class F>
    bool follow(const std::string& wanted, F make) {
        take();
        if (key != wanted && !work->busy()) {
            begun = wanted;
            work->start([make = std::move(make)](const std::stop_token&) { return make(); });
        }
        return key == wanted;
    }

  private:
    void take() {
        if (!work->busy() || work->running()) return;
        key = begun;
        result = {};
        failure.clear();
        try {
            result = work->get();
        } catch (const std::bad_alloc&) {
            failure = "not enough memory";
        } catch (const std::exception& error) {
            failure = error.what();
        }
    }
};

/// Options of an example as typed, by name; the values of a repeatable one are separated by commas.
using OptionTexts = std::map<std::string, std::string, std::less<>>;

struct ExamplesState {
    std::string name;                                       ///< the chosen example; empty: the first
    std::map<std::string, OptionTexts, std::less<>> texts;  ///< by example
    OptionTexts common;                                     ///< options that all examples have
    std::string checked, refusal;           ///< the last command checked, and why it was refused
    bool alone = false;                     ///< pause the simulation while an example runs
    std::optional<ExampleRequest> waiting;  ///< starts when the simulation has paused
    bool resumes = false;                   ///< resume the simulation, which was paused for it
    bool held = false;                      ///< the simulation waits between frames while one runs
    bool had_results = false;               ///< results existed in the previous frame
    bool remarked = false;                  ///< the report says that the simulation ran at the same time

    std::string folder = kExportFolder;
    bool writes = false;  ///< write files at the end of the example
    bool large = false;   ///< the results are in a window of their own
};

struct CodeState {
    Job<GeneratedCode> code;     ///< for the CPU, with the CUDA code
    Job<std::string> registers;  ///< registers of the chosen text, or why they are unknown
    int compute_capability = 0;  ///< of the GPU that the CUDA code is for; 0: the one at hand
    bool waits = false;          ///< one of these was being made in the newest frame
    bool large = false;          ///< the text is also shown in a window of its own
    std::size_t chosen = 0;      ///< index into the stages and the code's texts
};

struct KernelState {
    std::string path;                                     ///< as typed
    std::string file;                                     ///< the watched file; empty: none
    std::string failure;                                  ///< why the template file could not be made
    bool live = true;                                     ///< a kernel that passed the check steps the field
    std::shared_ptr<const user_kernel::UserKernel> sent;  ///< the last one sent to the session
    bool steps = false;  ///< the kernel stepped the field in the previous frame
};

/// Controls that the cards of the tour point at.
enum class TourSpot { none, step, run, coefficient, view, method, suite, equation, kernel };

struct TourState {
    std::optional<std::size_t> card;     ///< number of the card; empty: no tour
    bool reveals = false;                ///< once: open the card's section
    std::optional<float> scrolled_to;    ///< the control's place in its page when it was scrolled into view
    int settles = 0;                     ///< frames until the card has its size and place
    bool done = false;                   ///< the card's task has been done
    double done_at = 0;                  ///< when (ImGui's time)
    std::optional<figure::Box> control;  ///< the control in this frame (ImGui's coordinates), if visible
    std::optional<figure::Box> seen;     ///< the control's place in the newest frame
    figure::Box size;                    ///< size of the card when last drawn
};

/// Sessions that can be continued.
struct SessionsState {
    std::vector<std::string> files;  ///< newest first; those of the window's start
    Job<GalleryPictures> cards;  ///< in the order of `files`; a card without title: its file cannot be read
    bool waits = false;          ///< the cards were being read in the newest frame
};

/// State of the panels. State that a single panel uses is in of().
struct PanelState {
    bool start_page = false;  ///< shown, until the first click or key
    SessionsState sessions;
    std::map<unsigned, NumberDraft> drafts;   ///< drafts of the text fields, by ImGui's ID
    std::map<unsigned, SliderDraft> sliders;  ///< drafts of the sliders, by ImGui's ID
    std::string copied;                       ///< owner of the copy button that was pressed last
    double copied_until = 0;         ///< until then the button says that it has copied (ImGui's time)
    bool open_popup_wanted = false;  ///< set by a button or key, until the toolbar opens the popup
    EquationState equation;
    DispersionState dispersion;
    SimulationState simulation;
    InitialState initial;
    Pane single_pane = Pane::now;  ///< pane that is shown after three-up
    BrushState brush;
    MeasureState measure;
    ExportState exports;
    ExamplesState examples;
    KernelState kernel;
    CodeState code;
    int occupancy_capability = 0;  ///< of the GPU whose occupancy is told; 0: that the kernel is compiled for
    TourState tour;

    /// Returns the state of a single panel, which has its own type and starts with default values.
    template <class T>
    T& of() const {
        std::any& state = own_[typeid(T)];
        if (!state.has_value()) state = T{};
        return *std::any_cast<T>(&state);
    }

  private:
    mutable std::map<std::type_index, std::any> own_;
};

}  // namespace stencil
