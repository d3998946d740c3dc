#include "sim/run/start.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/equation_stepper.h"
#include "sim/field/field_hash.h"
#include "sim/files/npy_rows.h"
#include "sim/model/equations.h"
#include "sim/model/sides.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using equation::Equations;
using equation::EquationStepper;

const std::string& start_of(const RunSpec& spec, std::size_t component) {
    if (component == 0) return spec.initial;
    static const std::string own;
    const auto given = spec.initials.find(spec.model->components[component].name);
    return given == spec.initials.end() ? own : given->second;
}

InitialRequest request_of(const RunSpec& spec, const InitialChoice& choice) {
    return {spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters};
}

Field read_start(const RunSpec& spec, const InitialChoice& choice) {
    return make_initial(choice, request_of(spec, choice));
}

// Those of the text, with formulas given beside it in their places.
equation::Program start_program(const RunSpec& spec) {
    std::vector<std::string> formulas;
    std::vector<std::size_t> places;
    const std::size_t components = spec.model->components.size();
    for (std::size_t c = 0; c < components; ++c) {
        const InitialChoice choice = parse_initial(start_of(spec, c));
        if (choice.formula.empty()) continue;
        formulas.push_back(choice.formula);
        places.push_back(c);
    }
    Equations equations = run_equations(spec, formulas);
    for (std::size_t i = 0; i < places.size(); ++i)
        equations.components[places[i]].initial = equations.extra[i];
    return equation::make_start_program(equations, true);
}

// Of each component the rows [first, first + rows).
std::vector<Field> evaluate_starts(const RunSpec& spec, int first, int rows) {
    const equation::Program program = start_program(spec);
    const int ny = spec.size->ny;
    equation::EquationSetup setup;
    setup.nx = spec.size->nx;
    setup.ny = rows;
    if (rows < ny) {
        // As many more as the formulas look beyond a cell.
        const int margin = int(program.once.size() + program.stages.size());
        const bool periodic = program.arrays.front().ghosts[2].periodic;
        const int above = periodic ? margin : std::min(margin, first);
        const int below = periodic ? margin : std::min(margin, ny - first - rows);
        setup.slab = {first - above, above, below, ny};
        setup.ny += above + below;
    }
    setup.spacing = spec.spacing();
    setup.dt = spec.time_step();
    setup.parameters = spec.parameters;
    setup.seed = spec.seed;
    ThreadPool threads(spec.threads);
    EquationStepper<double> stepper(program, setup, threads);
    const auto data = read_data(spec);
    for (std::size_t d = 0; d < data.size(); ++d) copy_cells(data[d]->view(), stepper.data(int(d)));
    stepper.advance(1);
    std::vector<Field> starts;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        Array<double> cells(setup.nx, rows);
        copy_cells<double>(stepper.component(int(c)).rows(setup.slab.above, rows), cells.view());
        starts.emplace_back(std::move(cells));
    }
    return starts;
}

using OrderedJson = nlohmann::ordered_json;
using FileReaders = std::vector<std::unique_ptr<NpyReader>>;

class FilesOfRows : public RowSource {
  public:
    FilesOfRows(std::vector<std::string> names, FileReaders files)
        : RowSource(files.front()->nx(), files.front()->ny(), dtypes_of(files)),
          names_(std::move(names)),
          files_(std::move(files)) {}

    Field rows(std::size_t field, int first, int rows) const override {
        return files_[field]->rows(first, rows);
    }
    std::string recipe() const override { return json_text({{"files", names_}}); }

  private:
    static std::vector<DType> dtypes_of(const FileReaders& files) {
        std::vector<DType> dtypes;
        for (const auto& file : files) dtypes.push_back(file->dtype());
        return dtypes;
    }

    std::vector<std::string> names_;
    FileReaders files_;
};

class NoiseRows : public RowSource {
  public:
    NoiseRows(int nx, int ny, std::vector<DType> dtypes, std::uint64_t seed)
        : RowSource(nx, ny, std::move(dtypes)), seed_(seed) {}

    Field rows(std::size_t field, int first, int rows) const override {
        return make_noise_rows(dtypes()[field], nx(), first, rows, seed_ + field);
    }
    std::string recipe() const override {
        return json_text({{"noise", seed_},
                          {"size", {nx(), ny()}},
                          {"dtype", name_of(dtypes().front())},
                          {"count", count()}});
    }

  private:
    std::uint64_t seed_;
};

// A component of a start: a row of the table, a file, or where it is neither a formula.
struct StartPart {
    const InitialCondition* condition = nullptr;
    InitialRequest request;
    std::unique_ptr<NpyReader> file = nullptr;

    DType dtype() const { return file ? file->dtype() : DType::float64; }
};

class StartRows : public RowSource {
  public:
    StartRows(const RunSpec& spec, std::vector<StartPart> parts)
        : RowSource(spec.size->nx, spec.size->ny, dtypes_of(parts)), spec_(spec), parts_(std::move(parts)) {
        // What is stepped, and nothing of what becomes of it.
        spec_.exports = RunSpec().exports;
        spec_.edits = {};
    }

    Field rows(std::size_t field, int first, int rows) const override {
        const StartPart& part = parts_[field];
        if (part.file) return part.file->rows(first, rows);
        if (!part.condition) return std::move(evaluate_starts(spec_, first, rows)[field]);
        InitialRequest request = part.request;
        request.first = first;
        request.rows = rows;
        return part.condition->make(request);
    }
    std::string recipe() const override { return json_text({{"start", to_json(spec_)}}); }

  private:
    static std::vector<DType> dtypes_of(const std::vector<StartPart>& parts) {
        std::vector<DType> dtypes;
        for (const StartPart& part : parts) dtypes.push_back(part.dtype());
        return dtypes;
    }

    RunSpec spec_;
    std::vector<StartPart> parts_;
};

}  // namespace

InitialChoice initial_choice(const RunSpec& spec) {
    return parse_initial(spec.initial);
}

std::string start_file(const RunSpec& spec, std::size_t component) {
    return parse_initial(start_of(spec, component)).file;
}

std::vector<std::string> start_files(const RunSpec& spec) {
    std::vector<std::string> files;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c)
        if (std::string file = start_file(spec, c); !file.empty()) files.push_back(std::move(file));
    return files;
}

State make_start(RunSpec& spec) {
    State start;
    std::vector<Field> evaluated;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = parse_initial(start_of(spec, c));
        if (choice.condition || !choice.file.empty()) {
            start.components.push_back(read_start(spec, choice));
            if (c == 0 && !choice.condition) keep_hash(spec, field_hash(start.components.front()));
            continue;
        }
        if (evaluated.empty()) evaluated = evaluate_starts(spec, 0, spec.size->ny);
        start.components.push_back(std::move(evaluated[c]));
    }
    return start;
}

void keep_hash(RunSpec& spec, const std::string& hash) {
    if (!spec.initial_hash.empty() && spec.initial_hash != hash)
        throw InputError(
            fmt::format("--initial {}: the file is not what it was when spec.json was written: "
                        "to start from it as it is now, give --initial",
                        quotable(spec.initial)));
    spec.initial_hash = hash;
}

std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec) {
    if (spec.model->equations && !spec.model->equations->data.empty()) return nullptr;
    std::vector<StartPart> parts;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = parse_initial(start_of(spec, c));
        StartPart& part = parts.emplace_back();
        part.condition = choice.condition;
        part.request = request_of(spec, choice);
        if (choice.condition && !choice.condition->by_rows) return nullptr;
        if (choice.file.empty()) continue;
        if (!is_array_file(choice.file)) return nullptr;
        part.file = std::make_unique<NpyReader>(choice.file);
        if (!part.file->has_rows()) return nullptr;
        require_array_size(choice.file, part.file->nx(), part.file->ny(), part.request);
    }
    return std::make_shared<StartRows>(spec, std::move(parts));
}

std::shared_ptr<const RowSource> file_rows(const std::vector<std::filesystem::path>& files) {
    std::vector<std::string> names;
    FileReaders readers;
    for (const std::filesystem::path& file : files) {
        names.push_back(std::filesystem::absolute(file).string());
        readers.push_back(std::make_unique<NpyReader>(file));
        const NpyReader &first = *readers.front(), &own = *readers.back();
        if (own.nx() != first.nx() || own.ny() != first.ny() || !own.has_rows())
            throw InputError(
                fmt::format("{}: not an array like {}", printable(file.string()), names.front()));
    }
    return std::make_shared<FilesOfRows>(std::move(names), std::move(readers));
}

std::shared_ptr<const RowSource> noise_rows(
    int nx, int ny, DType dtype, std::size_t count, std::uint64_t seed) {
    return std::make_shared<NoiseRows>(nx, ny, std::vector(count, dtype), seed);
}

std::shared_ptr<const RowSource> read_recipe(const std::string& recipe) {
    const OrderedJson json = OrderedJson::parse(recipe);
    const auto dtype = [&](const char* key) { return *find_dtype(json.at(key).get<std::string>()); };
    if (json.contains("rounded")) return rounded(read_recipe(json.at("of")), dtype("rounded"));
    if (json.contains("start")) return start_recipe(spec_from_json(json.at("start").dump(), "a start"));
    if (json.contains("noise"))
        return noise_rows(
            json.at("size")[0], json.at("size")[1], dtype("dtype"), json.at("count"), json.at("noise"));
    const auto names = json.at("files").get<std::vector<std::string>>();
    return file_rows({names.begin(), names.end()});
}

Equations run_equations(const RunSpec& spec, const std::vector<std::string>& formulas) {
    Equations equations = equation::read_equations(spec.model->text, formulas);
    equations.spacing = spec.spacing();
    if (!spec.boundary_as_typed)
        for (auto& component : equations.components)
            component.sides.fill(*equation::condition_of_word(equations.graph, name_of(spec.boundary)));
    return equations;
}

std::shared_ptr<const TypedRun> typed_run(const RunSpec& spec) {
    auto run = std::make_shared<TypedRun>();
    run->equations = run_equations(spec);
    run->scheme = stepping_scheme(spec);
    run->seed = spec.seed;
    run->data = read_data(spec);
    run->with_formula = [spec](const std::string& formula) { return run_equations(spec, {formula}); };
    return run;
}

equation::SteppingScheme stepping_scheme(const RunSpec& spec) {
    return equation::scheme_of(spec.stepper.empty() ? spec.model->equations->stepper : spec.stepper);
}

std::vector<std::shared_ptr<const Array<double>>> read_data(const RunSpec& spec) {
    std::vector<std::shared_ptr<const Array<double>>> data;
    if (!spec.model->equations) return data;
    for (const auto& source : spec.model->equations->data) {
        InitialChoice choice;
        choice.file = source.file;
        const Field field = read_start(spec, choice).to(DType::float64);
        data.push_back(std::make_shared<Array<double>>(field.as<double>().clone()));
    }
    return data;
}

}  // namespace stencil
