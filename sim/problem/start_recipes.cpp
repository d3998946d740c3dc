// Row generators of initial states.

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

// Threads that make rows, which are started at first use. Calls come one at a time.
class Workers {
  public:
    explicit Workers(int count) : count_(count) {}

    template <class Make>
    Field operator()(Make&& make) {
        const std::lock_guard lock(mutex_);
        if (!threads_) threads_.emplace(count_);
        return make(*threads_);
    }

  private:
    int count_;
    std::mutex mutex_;
    std::optional<ThreadPool> threads_;
};

// A component's initial state: a condition of the table, a file, or else a formula.
struct StartPart {
    const InitialCondition* condition = nullptr;
    InitialRequest request;
    std::unique_ptr<NpyReader> file = nullptr;
};

class StartRows {
  public:
    StartRows(const RunSpec& spec, std::vector<StartPart> parts)
        : spec_(spec), parts_(std::move(parts)), workers_(spec.threads) {
        // Keeps only what the initial state depends on.
        spec_.exports = RunSpec().exports;
        spec_.edits = {};
    }

    Field rows(std::size_t field, int first, int rows) {
        return workers_([&](ThreadPool& threads) -> Field {
            const StartPart& part = parts_[field];
            if (part.file) return part.file->rows(first, rows);
            if (!part.condition) return evaluated(field, first, rows, threads);
            InitialRequest request = part.request;
            request.first = first;
            request.rows = rows;
            request.threads = &threads;
            return part.condition->make(request);
        });
    }
    std::string recipe() const { return json_text({{"start", to_json(spec_)}}); }

  private:
    // Formulas produce all components at once; the others are kept for the calls that follow.
    Field evaluated(std::size_t field, int first, int rows, ThreadPool& threads) {
        const bool here = evaluated_first_ == first && !evaluated_.empty() && evaluated_[field].ny() == rows;
        if (!here) evaluated_ = evaluate_starts(spec_, first, rows, threads);
        evaluated_first_ = first;
        return std::exchange(evaluated_[field], Field());
    }

    RunSpec spec_;
    std::vector<StartPart> parts_;
    Workers workers_;
    std::vector<Field> evaluated_;  ///< rows not yet requested
    int evaluated_first_ = 0;
};

}  // namespace

std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec) {
    if (!spec.model->equations->data.empty()) return nullptr;
    std::vector<StartPart> parts;
    std::vector<DType> dtypes;
    for (std::size_t c = 0; c < spec.model->components.size(); ++c) {
        const InitialChoice choice = initial_choice(spec, c);
        StartPart& part = parts.emplace_back();
        part.condition = choice.condition;
        part.request = request_of(spec, choice);
        if (choice.condition && !choice.condition->by_rows) return nullptr;
        dtypes.push_back(DType::float64);
        if (choice.file.empty()) continue;
        if (!choice.file.ends_with(".npy")) return nullptr;
        part.file = std::make_unique<NpyReader>(choice.file);
        if (!part.file->has_rows()) return nullptr;
        require_array_size(choice.file, part.file->nx(), part.file->ny(), part.request);
        dtypes.back() = part.file->dtype();
    }
    const auto start = std::make_shared<StartRows>(spec, std::move(parts));
    return std::make_shared<MadeRows>(
        spec.size->nx,
        spec.size->ny,
        std::move(dtypes),
        [=](std::size_t field, int first, int rows) { return start->rows(field, first, rows); },
        [=] { return start->recipe(); });
}

std::shared_ptr<const RowSource> file_rows(const std::vector<std::filesystem::path>& files) {
    std::vector<std::string> names;
    std::vector<std::shared_ptr<NpyReader>> readers;
    std::vector<DType> dtypes;
    for (const std::filesystem::path& file : files) {
        names.push_back(std::filesystem::absolute(file).string());
        readers.push_back(std::make_shared<NpyReader>(file));
        const NpyReader &first = *readers.front(), &own = *readers.back();
        dtypes.push_back(own.dtype());
        if (own.nx() != first.nx() || own.ny() != first.ny() || !own.has_rows())
            throw InputError("{}: not an array like {}", printable(file.string()), names.front());
    }
    const int nx = readers.front()->nx(), ny = readers.front()->ny();
    return std::make_shared<MadeRows>(
        nx,
        ny,
        std::move(dtypes),
        [=](std::size_t field, int first, int rows) { return readers[field]->rows(first, rows); },
        [=] {
            return json_text({{"files", names}});
        });
}

std::shared_ptr<const RowSource> noise_rows(
    int nx, int ny, DType dtype, std::size_t count, std::uint64_t seed, int threads) {
    const auto workers = std::make_shared<Workers>(threads);
    return std::make_shared<MadeRows>(
        nx,
        ny,
        std::vector(count, dtype),
        [=](std::size_t field, int first, int rows) {
            return (*workers)([&](ThreadPool& pool) {
                return make_noise_rows(dtype, nx, first, rows, seed + field, &pool);
            });
        },
        [=] {
            return json_text({{"noise", seed},
                              {"size", {nx, ny}},
                              {"dtype", name_of(dtype)},
                              {"count", count},
                              {"threads", threads}});
        });
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
