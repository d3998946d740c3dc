#include "sim/problem/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/equation/operations.h"
#include "kernels/field/padded_rows.h"
#include "sim/field/field_hash.h"
#include "sim/files/field_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/image.h"
#include "sim/files/npy_rows.h"
#include "sim/model/equations.h"
#include "sim/model/sides.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/step/stages.h"
#include "sim/model/time_step.h"
#include "sim/problem/newest.h"
#include "sim/problem/run_text.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using equation::DataSource;
using equation::Equations;
using equation::EquationStepper;

InitialChoice choice_of(const DataSource& source) {
    InitialChoice choice;
    choice.file = source.file;
    choice.channel = source.channel;
    choice.variable = source.variable;
    choice.required = !source.variable.empty() && !source.known;
    return choice;
}

std::size_t count_gaps(const Field& field) {
    return field.visit([](const auto& array) {
        return std::size_t(
            std::ranges::count_if(array.cells(), [](auto value) { return std::isnan(value); }));
    });
}

std::string whole_path(const std::string& file) {
    std::error_code failed;
    const auto whole = std::filesystem::absolute(file, failed).lexically_normal();
    return failed || is_stream(file) || held_array(file) ? file : whole.string();
}

// Whether the text leaves out the cells that an array has as NaN.
bool leaves_out(const Problem& spec, const InitialChoice& choice) {
    return std::ranges::any_of(spec.model->equations->data, [&](const DataSource& source) {
        return source.known && whole_path(source.file) == whole_path(choice.file) &&
               (source.variable.empty() || source.variable == choice.variable);
    });
}

// Gives cells without a value, which are outside of the shape, the mean of the values around them: a
// coefficient is also read one cell beyond the edge. Throws InputError if they are not outside.
void fill_gaps(const Problem& spec, const InitialChoice& choice, Field& field) {
    const auto bad = field.visit([](const auto& array) {
        return std::size_t(
            std::ranges::count_if(array.cells(), [](auto value) { return !std::isfinite(value); }));
    });
    if (bad == 0) return;
    const std::size_t gaps = count_gaps(field);
    const std::string file = printable(choice.file);
    if (gaps < bad || !leaves_out(spec, choice))
        throw InputError(
            "{}: {} of {} values are not finite ({}",
            file,
            bad,
            field.size(),
            gaps < bad ? "NaN or infinite)"
                       : "NaN): to leave these cells out, add `known(\"" + file + "\") and` to `inside`");
    field.visit([]<class T>(Array<T>& array) {
        const Array<T> given = array.clone();
        for (int y = 0; y < array.ny(); ++y)
            for (int x = 0; x < array.nx(); ++x) {
                if (!std::isnan(given.at(x, y))) continue;
                double sum = 0, count = 0;
                for (int j = std::max(y - 1, 0); j <= std::min(y + 1, array.ny() - 1); ++j)
                    for (int i = std::max(x - 1, 0); i <= std::min(x + 1, array.nx() - 1); ++i)
                        if (const T value = given.at(i, j); !std::isnan(value)) sum += value, ++count;
                array.at(x, y) = count > 0 ? T(sum / count) : T(0);
            }
    });
}

Field read_start(const Problem& spec, const InitialChoice& choice, ThreadPool* threads = nullptr) {
    InitialRequest request = request_of(spec, choice);
    request.threads = threads;
    Field field = make_initial(choice, request);
    fill_gaps(spec, choice, field);
    return field;
}

// The initial program: formulas of the text, replaced by those given beside it.
std::shared_ptr<const equation::Program> start_program(const Problem& spec) {
    std::vector<std::string> formulas;
    std::vector<int> of_components;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = initial_choice(spec, c);
        if (choice.formula.empty()) {
            const bool given = choice.condition || !choice.file.empty();
            of_components.push_back(given ? PlannedEquations::kNoFormula : PlannedEquations::kOwnFormula);
        } else {
            of_components.push_back(int(formulas.size()));
            formulas.push_back(choice.formula);
        }
    }
    return planned_equations(spec, formulas)->start(of_components);
}

// Initial states of components that the next model adds, in order.
std::shared_ptr<const RowSource> start_of_new(RunSpec next, const std::vector<int>& kept) {
    if (std::ranges::find(kept, -1) == kept.end()) return nullptr;
    // Files of the others are not read again, but a number: they may be gone, or arrays of Python that never
    // were files.
    for (std::size_t c = 0; c < kept.size(); ++c)
        if (const auto given = next.initials.find(next.model->components[c].name);
            kept[c] >= 0 && given != next.initials.end())
            given->second = "0";
    if (kept.front() >= 0) {
        if (!next.initial.empty()) next.initial = "0";
        next.initial_hash.clear();
    }
    std::shared_ptr<const RowSource> made = start_recipe(next);
    made = rounded(made ? made : in_memory(make_start(next)), next.dtype);
    std::vector<SelectedRows::Pick> picks;
    for (std::size_t c = 0; c < kept.size(); ++c)
        if (kept[c] < 0) picks.push_back({made, c});
    return std::make_shared<StateRows>(SelectedRows(std::move(picks)).whole());
}

// A text with formulas beside it. A run asks for few, several times each.
std::shared_ptr<const Equations> parsed(const std::string& text, const std::vector<std::string>& formulas) {
    static Newest<std::pair<std::string, std::vector<std::string>>, Equations> newest(8);
    return newest.get({text, formulas},
                      [&] { return std::make_shared<Equations>(equation::read_equations(text, formulas)); });
}

// A file's picture or array at the field's size. Cached while a solver holds it and the file is unchanged,
// because reading takes a tenth of a second.
std::shared_ptr<const Array<double>> read_array(const Problem& spec, const DataSource& source) {
    using Key = std::tuple<std::string,
                           std::uintmax_t,
                           std::filesystem::file_time_type,
                           int,
                           int,
                           Channel,
                           std::string,
                           bool>;
    const std::string& file = source.file;
    static std::mutex mutex;
    static std::map<Key, std::weak_ptr<const Array<double>>> known;
    std::error_code failed;  // reading it reports why
    const Key key{std::filesystem::absolute(file, failed).string(),
                  std::filesystem::file_size(file, failed),
                  std::filesystem::last_write_time(file, failed),
                  spec.size->nx,
                  spec.size->ny,
                  source.channel,
                  source.variable,
                  source.known};
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const auto& one) { return one.second.expired(); });
    if (const auto found = known.find(key); found != known.end())
        if (auto array = found->second.lock()) return array;
    InitialChoice choice = choice_of(source);
    if (choice.channel != Channel::grey && !is_picture_file(file))
        throw InputError("{}: an array has no channels", quotable(file));
    Field field = make_initial(choice, request_of(spec, choice)).to(DType::float64);
    if (source.known)
        for (double& value : field.as<double>().cells()) value = std::isnan(value) ? 0 : 1;
    else
        fill_gaps(spec, choice, field);
    auto array = std::make_shared<const Array<double>>(std::move(field.as<double>()));
    known[key] = array;
    return array;
}

// Where a place lies between the cells along an axis, for each cell. Beyond the field it is the cell at the
// edge.
std::vector<std::pair<int, double>> cells_at(const Problem& spec, equation::Node place, bool along_x) {
    const int count = along_x ? spec.size->nx : spec.size->ny;
    const double dx = spec.dx;
    equation::UniformState state;
    state.spacing = dx;
    state.nx = spec.size->nx;
    state.ny = spec.size->ny;
    const equation::Equations& equations = *spec.model->equations;
    equation::Linearisation at(equations, {place});
    std::vector<std::pair<int, double>> cells;
    for (int i = 0; i < count; ++i) {
        (along_x ? state.x : state.y) = (i + 0.5) * dx;
        at.move_to(state);
        if (std::isnan(at.value(0))) throw InputError("an array is read at a place that is not a number");
        const double exact = std::clamp(at.value(0) / dx - 0.5, 0.0, count - 1.0);
        constexpr double kDigits = 1e9;  // so that a neighbour is exactly that
        const double rounded = std::round(exact * kDigits) / kDigits;
        const int first = std::min(int(rounded), std::max(count - 2, 0));
        cells.emplace_back(first, rounded - first);
    }
    return cells;
}

// An array at other places than the cells, between which it is linear.
std::shared_ptr<const Array<double>> elsewhere(const Problem& spec,
                                               const Array<double>& from,
                                               const std::array<equation::Node, 2>& place) {
    const auto columns = cells_at(spec, place[0], true), rows = cells_at(spec, place[1], false);
    auto result = std::make_shared<Array<double>>(from.nx(), from.ny());
    const auto along_row = [&](std::pair<int, double> x, int y) {
        const double a = from.at(x.first, y);
        return x.second == 0 ? a : a + x.second * (from.at(x.first + 1, y) - a);
    };
    for (int y = 0; y < from.ny(); ++y)
        for (int x = 0; x < from.nx(); ++x) {
            const auto& row = rows[std::size_t(y)];
            const double a = along_row(columns[std::size_t(x)], row.first);
            const double share = row.second;
            result->at(x, y) =
                share == 0 ? a : a + share * (along_row(columns[std::size_t(x)], row.first + 1) - a);
        }
    return result;
}

}  // namespace

InitialChoice initial_choice(const Problem& spec, std::size_t component) {
    const std::string& name = spec.model->components[component].name;
    const auto given = spec.initials.find(name);
    InitialChoice choice = component == 0                 ? parse_initial(spec.initial)
                           : given == spec.initials.end() ? InitialChoice()
                                                          : parse_initial(given->second);
    choice.variable = name;
    return choice;
}

InitialRequest request_of(const Problem& spec, const InitialChoice& choice) {
    return {spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters};
}

std::optional<Size> size_of_files(const Problem& spec) {
    for (std::size_t c = 0; c < spec.model->components.size(); ++c)
        if (const auto own = initial_size(initial_choice(spec, c))) return Size{own->first, own->second};
    for (const DataSource& source : spec.model->equations->data)
        if (!source.picture && !source.place)
            if (const auto own = initial_size(choice_of(source))) return Size{own->first, own->second};
    return std::nullopt;
}

// The cells that are NaN in an array of the field's size; 0 for one of another size.
static std::size_t gaps_of(const InitialChoice& choice, const RunSpec& spec) {
    const auto [nx, ny] = *spec.size;
    std::size_t gaps = 0;
    if (!held_array(choice.file) && choice.file.ends_with(".npy") && NpyReader(choice.file).has_rows()) {
        // A field of several processes may not fit into the memory of one.
        const auto rows = file_rows({choice.file});
        if (Size{rows->nx(), rows->ny()} == *spec.size)
            for_pieces(*rows, 0, 0, ny, [&](int, const Field& piece) { gaps += count_gaps(piece); });
        return gaps;
    }
    const FoundField found = open_field({choice.file, choice.variable, choice.required});
    const bool fits = 8.0 * nx * ny < double(spec.memory_limit);
    return found.nx == nx && found.ny == ny && fits ? count_gaps(found.read()) : 0;
}

void leave_out_gaps(RunSpec& spec) {
    std::vector<InitialChoice> choices;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c)
        choices.push_back(initial_choice(spec, c));
    for (const DataSource& source : spec.model->equations->data)
        if (!source.known) choices.push_back(choice_of(source));
    std::vector<std::string> conditions, notes;
    for (const InitialChoice& choice : choices) {
        std::error_code gone;  // once a run has begun its start is not read again
        if (choice.file.empty()) continue;
        if (!held_array(choice.file) && !is_stream(choice.file) &&
            !std::filesystem::exists(choice.file, gone))
            continue;
        if (is_picture_file(choice.file) || leaves_out(spec, choice)) continue;
        const std::size_t gaps = gaps_of(choice, spec);
        if (gaps == 0) continue;
        const std::string ending = std::filesystem::path(choice.file).extension().string();
        const bool single =
            choice.variable.empty() || ending == ".npy" || ending == ".csv" || ending == ".txt";
        const std::string condition =
            fmt::format("known(\"{}\"{})", whole_path(choice.file), single ? "" : ", " + choice.variable);
        if (contains(conditions, condition)) continue;
        conditions.push_back(condition);
        notes.push_back(fmt::format("{}: {} of {} cells are NaN, so they are outside of the shape (`inside`)",
                                    printable(choice.file),
                                    gaps,
                                    1LL * spec.size->nx * spec.size->ny));
    }
    // With an `inside` of the text's own, reading the file says what to add to it.
    if (conditions.empty() || spec.model->equations->inside) return;
    const TimeStep dt = spec.dt;
    const long long steps = spec.steps;
    const auto initial = spec.initial;
    const auto initials = spec.initials;
    use_text(spec,
             model_of_text(fmt::format("{}\ninside = {}", text_of_run(spec), fmt::join(conditions, " and ")),
                           spec.model->name,
                           notes));
    spec.dt = dt;
    spec.steps = steps;
    spec.initial = initial;
    spec.initials = initials;
}

std::vector<std::string> start_files(const Problem& spec) {
    std::vector<std::string> files;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c)
        if (std::string file = initial_choice(spec, c).file; !file.empty()) files.push_back(std::move(file));
    return files;
}

// Evaluates a program of initial values on rows [first, first + rows).
static std::vector<Field> evaluated(const Problem& spec,
                                    std::shared_ptr<const equation::Program> made,
                                    int first,
                                    int rows,
                                    ThreadPool& threads) {
    const equation::Program& program = *made;
    const int ny = spec.size->ny;
    equation::EquationSetup setup;
    setup.nx = spec.size->nx;
    setup.ny = rows;
    int begin_row = 0;
    if (equation::couples_all_cells(program)) {
        // Every part needs the whole field.
        setup.ny = ny;
        begin_row = first;
    } else if (rows < ny) {
        // Adds halo rows for the neighbours that the formulas read.
        const int margin = int(program.once.size() + program.stages.size());
        const bool periodic = equation::wrapping(program, 1) == equation::Wrapping::all;
        const int above = periodic ? margin : std::min(margin, first);
        const int below = periodic ? margin : std::min(margin, ny - first - rows);
        setup.slab = {first - above, above, below, ny};
        setup.ny += above + below;
    }
    setup.spacing = spec.dx;
    setup.dt = spec.time_step();
    setup.parameters = spec.parameters;
    setup.seed = spec.seed;
    EquationStepper<double> stepper(std::move(made), setup, threads);
    const auto data = read_data(spec);
    for (std::size_t d = 0; d < data.size(); ++d) copy_cells(data[d]->view(), stepper.data(int(d)));
    stepper.advance(1);
    std::vector<Field> starts;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        Array<double> cells(setup.nx, rows);
        const FieldView<double> from = stepper.component(int(c)).rows(begin_row + setup.slab.above, rows);
        threads.for_ranges(rows, [&](std::int64_t begin, std::int64_t end) {
            const int y = int(begin), count = int(end - begin);
            copy_cells<double>(from.rows(y, count), cells.view().rows(y, count));
        });
        starts.emplace_back(std::move(cells));
    }
    return starts;
}

std::vector<Field> evaluate_starts(const Problem& spec, int first, int rows, ThreadPool& threads) {
    return evaluated(spec, start_program(spec), first, rows, threads);
}

// Whether the formula of x, y, pictures and parameters may jump.
static bool may_jump(const equation::Graph& g, equation::Node coefficient) {
    using enum equation::Op;
    const equation::Dependence& d = g.depends(coefficient);
    if (d.evolving || d.time || d.global || g.radius(coefficient) > 0) return false;
    bool jumps = false;
    g.walk(coefficient, [&](equation::Node part) {
        const equation::Op op = g[part].op;
        jumps = jumps || op == data || op == select || op == less || op == less_or_equal || op == floor;
    });
    return jumps;
}

// Whether one or two cells of a line have a tenth of the values on both sides, or less.
template <class At>
static bool has_thin_layer(int cells, const At& at) {
    constexpr double kJump = 0.1;
    for (int i = 1; i + 1 < cells; ++i)
        for (int next = i + 1; next <= std::min(i + 2, cells - 1) && at(next - 1) <= kJump * at(i - 1);
             ++next)
            if (std::max(at(i), at(next - 1)) <= kJump * at(next) && at(next) > 0) return true;
    return false;
}

static std::string thin_layer_note(const Problem& spec) {
    constexpr std::int64_t kMostCells = 1 << 22;
    const auto [nx, ny] = *spec.size;
    if (std::int64_t(nx) * ny > kMostCells) return "";
    const auto plans = planned_equations(spec);
    const Equations& equations = plans->equations();
    std::set<equation::Node> coefficients;
    for (const equation::Evolving& c : equations.components)
        equations.graph.walk(c.formula, [&](equation::Node part) {
            const equation::Expression& e = equations.graph[part];
            if (e.op == equation::Op::divergence && may_jump(equations.graph, e.args[0]))
                coefficients.insert(e.args[0]);
        });
    for (const equation::Node coefficient : coefficients) {
        ThreadPool threads(1);
        Equations starting = equations;
        for (equation::Evolving& c : starting.components) c.initial = coefficient;
        const auto program = std::make_shared<equation::Program>(make_start_program(starting, true));
        const std::vector<Field> made = evaluated(spec, program, 0, ny, threads);
        const auto d = made.front().as<double>().view();
        bool thin = false;
        for (int y = 0; y < ny && !thin; ++y) thin = has_thin_layer(nx, [&](int x) { return d.at(x, y); });
        for (int x = 0; x < nx && !thin; ++x) thin = has_thin_layer(ny, [&](int y) { return d.at(x, y); });
        if (thin)
            return "D of div(D*grad(u)) is small in a layer of one or two cells, through which its "
                   "arithmetic mean at faces "
                   "lets flow up to 25 times too much: `mean = harmonic` has the flux of layers in series";
    }
    return "";
}

std::vector<std::string> notes_of(const Problem& spec) {
    std::vector<std::string> notes = spec.model->equations->notes;
    if (std::string layer = thin_layer_note(spec); !layer.empty()) notes.push_back(std::move(layer));
    return notes;
}

State make_start(RunSpec& spec) {
    constexpr std::int64_t kWorthThreads = 1 << 15;  // cells
    const std::int64_t cells = std::int64_t(spec.size->nx) * spec.size->ny;
    ThreadPool threads(cells < kWorthThreads ? 1 : spec.threads);
    State start;
    std::vector<Field> evaluated;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = initial_choice(spec, c);
        if (choice.condition || !choice.file.empty()) {
            start.components.push_back(read_start(spec, choice, &threads));
            if (c == 0 && !choice.condition) keep_hash(spec, field_hash(start.components.front()));
            continue;
        }
        if (evaluated.empty()) evaluated = evaluate_starts(spec, 0, spec.size->ny, threads);
        start.components.push_back(std::move(evaluated[c]));
    }
    return start;
}

void keep_hash(Problem& spec, const std::string& hash) {
    if (!spec.initial_hash.empty() && spec.initial_hash != hash)
        throw InputError(Given{"initial", quotable(spec.initial)},
                         "the file is not what it was when spec.json was written: "
                         "to start from it as it is now, give --initial");
    spec.initial_hash = hash;
}

Field fitted(Field field, const Problem& spec) {
    if (Size{field.nx(), field.ny()} != *spec.size) {
        const Field wide = field.to(DType::float64);
        field = resample(wide.as<double>(), spec.size->nx, spec.size->ny);
    }
    return field.dtype() == spec.dtype ? std::move(field) : field.to(spec.dtype);
}

std::vector<int> kept_components(const Problem& now, const Problem& next) {
    std::vector<int> kept;
    for (const Component& component : next.model->components) {
        const auto known = find_component(*now.model, component.name);
        kept.push_back(known ? int(*known) : -1);
    }
    return kept;
}

std::shared_ptr<const RowSource> carried_start(const std::shared_ptr<const RowSource>& start,
                                               const RunSpec& next,
                                               const std::vector<int>& kept) {
    const bool same_size = start->nx() == next.size->nx && start->ny() == next.size->ny;
    const auto fresh = start_of_new(next, kept);
    std::size_t taken = 0;
    std::vector<SelectedRows::Pick> picks;
    for (const int k : kept)
        if (k < 0) {
            picks.push_back({fresh, taken++});
        } else if (same_size) {
            picks.push_back({start, std::size_t(k)});
        } else {
            State one;
            one.components.push_back(fitted(start->field(std::size_t(k))->clone(), next));
            picks.push_back({in_memory(std::move(one)), 0});
        }
    return std::make_shared<SelectedRows>(std::move(picks));
}

std::shared_ptr<const PlannedEquations> planned_equations(const Problem& spec,
                                                          const std::vector<std::string>& formulas) {
    using Key = std::tuple<std::string,
                           std::vector<std::string>,
                           double,
                           std::optional<Boundary>,
                           std::optional<std::size_t>>;
    static Newest<Key, PlannedEquations> newest(16);
    const std::string& text = spec.model->text;
    const auto boundary = spec.boundary_as_typed ? std::nullopt : std::optional(spec.boundary);
    const auto flat = spec.flat_axis();
    const bool reads_files = text.find("table(") != text.npos;  // which may have changed since
    const auto make = [&] {
        Equations equations =
            reads_files ? equation::read_equations(text, formulas) : *parsed(text, formulas);
        equations.spacing = spec.dx;
        if (boundary) set_all_sides(equations, name_of(*boundary));
        if (flat) make_line(equations, *flat);
        return std::make_shared<PlannedEquations>(std::move(equations));
    };
    return reads_files ? make() : newest.get({text, formulas, spec.dx, boundary, flat}, make);
}

double start_bytes(const RunSpec& spec) {
    const std::size_t components = spec.model->components.size();
    bool evaluates = false;
    for (std::size_t c = 0; c < components; ++c) {
        const InitialChoice choice = initial_choice(spec, c);
        evaluates = evaluates || (!choice.condition && choice.file.empty());
    }
    if (!evaluates) return 0;
    const auto [nx, ny] = *spec.size;
    return EquationStepper<double>::bytes(*start_program(spec), nx, ny, spec.threads) +
           double(sizeof(double) * components) * nx * ny;
}

std::shared_ptr<const TypedRun> typed_run(const RunSpec& spec, bool with_data) {
    auto run = std::make_shared<TypedRun>(planned_equations(spec));
    run->scheme = spec.integrator;
    run->controls_error = std::holds_alternative<ByTolerance>(spec.dt);
    run->global_every = std::max(spec.global_every, 1LL);
    run->seed = spec.seed;
    run->memory_limit = spec.memory_limit;
    if (with_data) run->data = read_data(spec);
    run->with_formula = [problem = Problem(spec)](const std::string& formula,
                                                  std::optional<Boundary> boundary) {
        if (!boundary) return planned_equations(problem, {formula});
        Problem other = problem;
        other.boundary = *boundary;
        other.boundary_as_typed = false;
        return planned_equations(other, {formula});
    };
    return run;
}

std::vector<std::shared_ptr<const Array<double>>> read_data(const Problem& spec) {
    std::vector<std::shared_ptr<const Array<double>>> data;
    for (const auto& source : spec.model->equations->data) {
        const auto array = read_array(spec, source);
        data.push_back(source.place ? elsewhere(spec, *array, *source.place) : array);
    }
    return data;
}

}  // namespace stencil
