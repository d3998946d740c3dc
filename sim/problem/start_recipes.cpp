// Row generators of initial states.

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "sim/files/npy_rows.h"
#include "sim/problem/start.h"
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

// Generates rows with a thread pool, which is created at first use.
class MadeRows : public RowSource {
  public:
    MadeRows(int nx, int ny, std::vector<DType> dtypes, int threads)
        : RowSource(nx, ny, std::move(dtypes)), count_(threads) {}

    Field rows(std::size_t field, int first, int rows) const override {
        const std::lock_guard lock(mutex_);
        if (!threads_) threads_.emplace(count_);
        return make(field, first, rows, *threads_);
    }

  protected:
    // Called by one thread at a time.
    virtual Field make(std::size_t field, int first, int rows, ThreadPool& threads) const = 0;
    int threads() const { return count_; }

  private:
    int count_;
    mutable std::mutex mutex_;
    mutable std::optional<ThreadPool> threads_;
};

class NoiseRows : public MadeRows {
  public:
    NoiseRows(int nx, int ny, std::vector<DType> dtypes, std::uint64_t seed, int threads)
        : MadeRows(nx, ny, std::move(dtypes), threads), seed_(seed) {}

    std::string recipe() const override {
        return json_text({{"noise", seed_},
                          {"size", {nx(), ny()}},
                          {"dtype", name_of(dtypes().front())},
                          {"count", count()},
                          {"threads", threads()}});
    }

  private:
    Field make(std::size_t field, int first, int rows, ThreadPool& threads) const override {
        return make_noise_rows(dtypes()[field], nx(), first, rows, seed_ + field, &threads);
    }

    std::uint64_t seed_;
};

// A component's initial state: a condition of the table, a file, or else a formula.
struct StartPart {
    const InitialCondition* condition = nullptr;
    InitialRequest request;
    std::unique_ptr<NpyReader> file = nullptr;

    DType dtype() const { return file ? file->dtype() : DType::float64; }
};

class StartRows : public MadeRows {
  public:
    StartRows(const RunSpec& spec, std::vector<StartPart> parts)
        : MadeRows(spec.size->nx, spec.size->ny, dtypes_of(parts), spec.threads),
          spec_(spec),
          parts_(std::move(parts)) {
        // Keeps only what the initial state depends on.
        spec_.exports = RunSpec().exports;
        spec_.edits = {};
    }

    std::string recipe() const override { return json_text({{"start", to_json(spec_)}}); }

  private:
    static std::vector<DType> dtypes_of(const std::vector<StartPart>& parts) {
        std::vector<DType> dtypes;
        for (const StartPart& part : parts) dtypes.push_back(part.dtype());
        return dtypes;
    }

    Field make(std::size_t field, int first, int rows, ThreadPool& threads) const override {
        const StartPart& part = parts_[field];
        if (part.file) return part.file->rows(first, rows);
        if (!part.condition) return evaluated(field, first, rows, threads);
        InitialRequest request = part.request;
        request.first = first;
        request.rows = rows;
        request.threads = &threads;
        return part.condition->make(request);
    }

    // Formulas produce all components at once; the others are kept for the calls that follow.
    Field evaluated(std::size_t field, int first, int rows, ThreadPool& threads) const {
        const bool here = evaluated_first_ == first && !evaluated_.empty() && evaluated_[field].ny() == rows;
        if (!here) evaluated_ = evaluate_starts(spec_, first, rows, threads);
        evaluated_first_ = first;
        return std::exchange(evaluated_[field], Field());
    }

    RunSpec spec_;
    std::vector<StartPart> parts_;
    mutable std::vector<Field> evaluated_;  ///< rows not yet requested
    mutable int evaluated_first_ = 0;
};

}  // namespace

std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec) {
    if (!spec.model->equations->data.empty()) return nullptr;
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
    int nx, int ny, DType dtype, std::size_t count, std::uint64_t seed, int threads) {
    return std::make_shared<NoiseRows>(nx, ny, std::vector(count, dtype), seed, threads);
}

std::shared_ptr<const RowSource> read_recipe(const std::string& recipe) {
    const OrderedJson json = OrderedJson::parse(recipe);
    const auto dtype = [&](const char* key) { return *find_dtype(json.at(key).get<std::string>()); };
    if (json.contains("rounded")) return rounded(read_recipe(json.at("of")), dtype("rounded"));
    if (json.contains("start")) return start_recipe(spec_from_json(json.at("start").dump(), "a start"));
    if (json.contains("noise"))
        return noise_rows(json.at("size")[0],
                          json.at("size")[1],
                          dtype("dtype"),
                          json.at("count"),
                          json.at("noise"),
                          json.at("threads"));
    const auto names = json.at("files").get<std::vector<std::string>>();
    return file_rows({names.begin(), names.end()});
}

}  // namespace stencil
