// What the panels remember between two frames: texts being typed, drags in progress.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/code/generated_code.h"
#include "sim/examples/example.h"
#include "sim/examples/report/report.h"
#include "sim/figure/chart.h"
#include "sim/run/output/exports.h"
#include "sim/run/resolve.h"
#include "sim/session/step_watch.h"
#include "sim/session/view.h"
#include "sim/view/value_range.h"

namespace stencil {

namespace user_kernel {
struct UserKernel;
}

/// A number while it is typed: the field shows the session's own until it is touched, and after it was sent
/// until the session has had the time to follow.
struct NumberDraft {
    std::string text, before;  ///< as it is, and as it was when the field was entered
    std::string wrong;         ///< why the text was not taken; empty: nothing is wrong with it
    bool says = false;         ///< that is said below the field
    bool active = false;
    double hold_until = 0;  ///< ImGui's time
};

/// A number that is dragged or typed.
struct SliderDraft {
    double value = 0, before = 0;         ///< as it is, and as it was when it was pressed
    bool sent = false, dragging = false;  ///< of the drag in progress
    bool typing = false, focus = false;   ///< it is a number field now; which is to get the keyboard
    double hold_until = 0;                ///< ImGui's time
    NumberDraft typed;
};

/// Of something that takes long: since when (ImGui's time) and from which share, and the share by now.
struct ActionClock {
    std::string key;
    double since = 0, from = 0, share = 0;
};

struct RangeDraft {
    NumberDraft low, high;
};

struct ToolbarState {
    NumberDraft pace;
    double copied_until = 0;  ///< ImGui's time until which the copy button says so
};

/// The bytes that a run needs are kept: working them out reads the equations, too much for every frame.
struct MemoryNeedsOf {
    std::string key;  ///< what it was worked out for
    MemoryNeeds needs;
    std::string failure;
};

struct SimulationState {
    std::map<std::string, SliderDraft> parameters;  ///< of the model, by name
    NumberDraft threads;
    int nx = 0, ny = 0;  ///< typed and not yet applied; 0: as the session
    NumberDraft columns, rows;
    MemoryNeedsOf needs;
    long long steps = 100;
    long long jump = 1000;
    NumberDraft steps_draft, jump_draft;
    long long stop_wish = 10000;  ///< what ticking the box stops at
    NumberDraft stop_at;
};

/// Of a parameter's slider, where it is not the model's.
struct RangeWish {
    std::optional<double> low, high;
    NumberDraft low_draft, high_draft;
};

/// A text that cannot be read: the sentence, and the place in a line of it.
struct Mistake {
    std::string sentence, line;
    std::size_t number = 0, column = 0;  ///< counted from 1
};

struct EquationState {
    std::string text, seen;  ///< as typed; and the session's own when it was last taken over
    double typed_at = -1;    ///< ImGui's time of the newest change that waits to be read; negative: none
    double hold_until = 0;   ///< until the session has had the time to follow
    bool goes_on = false;    ///< what is applied next belongs to the same while of typing
    bool editing = false;    ///< the field has the keyboard
    std::optional<Mistake> mistake;
    int messages_before = 0;  ///< the newest message's number when a text was applied
    std::map<std::string, RangeWish> ranges;
    NumberDraft dt, dx, formula;
    NumberDraft unit_length, unit_time, diffusivity, time;
    figure::Chart growth;  ///< of small waves, as it was at the moment below
    std::shared_ptr<const StepLimit> growth_at;
};

struct InitialState {
    std::size_t component = 0;  ///< of typed equations
    std::string seen;           ///< the session's own when the draft was last made from it
    NumberDraft formula;
    std::string name;  ///< of the condition chosen, applied or not; empty: a file
    std::map<std::string, double, std::less<>> parameters;
    std::map<std::string, NumberDraft, std::less<>> drafts;  ///< of the parameters
    NumberDraft seed;
    std::string path;
    std::string path_error;  ///< why the path was not opened
    int opened_after = 0;    ///< the newest message before a path was opened; 0: none was
};

struct BrushState {
    NumberDraft value, tolerance;
    SliderDraft radius;
    bool percent = false;  ///< the radius is told as a share of the field's longer side, and keeps it
    int side = 0;          ///< that side in the newest frame, cells
};

/// Of an end of a colour bar.
struct BarDrag {
    ValueRange start;  ///< when it was pressed
    bool high = false;
    std::string sent;  ///< the newest rule
};

struct ViewState {
    Pane single = Pane::now;  ///< what three-up goes back to
    RangeDraft range, laplacian_range;
    RangeDraft menu;  ///< of the colour bars' menu
    NumberDraft contours;
    BarDrag bar;
};

enum class SeriesOf { total, max, min, mean };

inline constexpr const char* kExportFolder = "stencilscope-out";

/// Of a probe in the plane of two components, since the plane is seen.
struct ProbeWay {
    int x = 0, y = 0;  ///< the cell
    std::vector<SamplePoint> points;
};

struct MeasureState {
    SeriesOf series = SeriesOf::total;
    bool log_counts = false;                    ///< of the histogram
    std::vector<figure::ChartSeries> kept;      ///< curves of the profile
    bool large = false;                         ///< the plots have a window of their own
    std::vector<ProbeWay> ways;                 ///< of the probes
    std::shared_ptr<const PhasePlane> ways_to;  ///< what their newest points are of
    std::string folder = kExportFolder;
};

/// What a film shows: cells alone, with axes, colour bar and step, or the canvas.
enum class FilmOf { field, figure, canvas };

struct ExportState {
    std::string folder = kExportFolder;
    std::vector<std::string> files = default_exports();
    bool replace = false;  ///< files that are there
    std::string spec_path;
    std::string last_session;  ///< the file of the one before this; empty: there is none
    long long record_every = 100;
    NumberDraft every;
    bool record_png = true, record_npy = false;
    std::string film;  ///< ".mp4", say: a film is recorded; empty: frames
    double fps = 30;
    NumberDraft fps_draft;
    FilmOf film_of = FilmOf::field;
};

/// Options of an example as they are typed, by name; several texts of those that may be given several times.
using OptionTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

struct ExamplesState {
    std::string name;                                       ///< of the one chosen; empty: the first
    std::map<std::string, OptionTexts, std::less<>> texts;  ///< by example
    OptionTexts common;                                     ///< of what all examples have
    std::string checked, refusal;  ///< the command that was checked last, and what its check said

    bool alone = false;                     ///< the simulation is to pause while one runs
    std::optional<ExampleRequest> waiting;  ///< for the simulation to stand still
    bool resumes = false;                   ///< the simulation was paused for it, and goes on after it
    bool held = false;                      ///< the simulation waits between frames while one runs
    bool remarked = false;                  ///< its report says that the simulation ran beside it

    std::string folder = kExportFolder;
    bool writes = false;      ///< files at its end
    double copied_until = 0;  ///< ImGui's time until which the copy button says so
    bool large = false;       ///< the results have a window of their own
    bool reveal = false;      ///< once: the section opens and is scrolled to

    SliderDraft live;
    double live_value = 0;  ///< of the variable that moves a point along a curve
    double live_found = 0;  ///< what the point below was found for
    LivePoint live_point;
    std::shared_ptr<const LiveCurve> live_of;  ///< what the point was found on
    std::string live_failure;
};

struct TimelineState {
    std::optional<long long> wish;   ///< the step that was asked for last, of the drag in progress
    double wished_at = 0;            ///< ImGui's time
    std::vector<NumberDraft> names;  ///< of the bookmarks
};

struct CodeState {
    std::string key;  ///< what the code was made for
    GeneratedCode code;
    bool large = false;       ///< the text has a window of its own, too
    std::size_t chosen = 0;   ///< of what there is to read: the stages, then the code's texts
    double copied_until = 0;  ///< ImGui's time until which the copy button says so
};

struct KernelState {
    std::string path;                                     ///< as typed
    std::string file;                                     ///< that is watched; empty: none
    std::string failure;                                  ///< why a file to start from could not be made
    bool live = true;                                     ///< a right kernel steps the field
    bool reveal = false;                                  ///< once: the section opens and is scrolled to
    std::shared_ptr<const user_kernel::UserKernel> sent;  ///< to the session, last
    bool steps = false;                                   ///< it did in the frame before
};

/// Controls that cards of the tour speak of.
enum class TourSpot { none, step, run, coefficient, view, method, ladder, equation, kernel };

struct TourState {
    std::optional<std::size_t> card;        ///< its number; empty: there is no tour
    bool reveals = false, scrolls = false;  ///< once: its section opens, and its control comes into sight
    bool done = false;                      ///< what it asks for was done
    double done_at = 0;                     ///< and has ended: ImGui's time
    std::optional<figure::Box> control;  ///< where that is in this frame, ImGui's coordinates; empty: unseen
    std::optional<figure::Box> seen;     ///< the same of the newest frame that is drawn
    figure::Box size;                    ///< of the card, as it was last
};

struct PanelState {
    ToolbarState toolbar;
    EquationState equation;
    SimulationState simulation;
    InitialState initial;
    ViewState view;
    BrushState brush;
    MeasureState measure;
    ExportState exports;
    ExamplesState examples;
    KernelState kernel;
    CodeState code;
    TimelineState timeline;
    TourState tour;
    std::vector<ActionClock> long_actions;  ///< that go on
};

}  // namespace stencil
