// Where the rows of a start come from, wherever they are wanted.

#include <fmt/format.h>

#include "sim/files/npy_rows.h"
#include "sim/run/start.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

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

std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec) {
    if (spec.model->equations && !spec.model->equations->data.empty()) return nullptr;
    std::vector<StartPart> parts;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = initial_choice(spec, c);
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

}  // namespace stencil
