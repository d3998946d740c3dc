#include "sim/problem/ready_runs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "sim/files/input_file.h"
#include "sim/model/equations.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

std::vector<ReadyRun> read_all() {
    std::vector<ReadyRun> runs;
    for (const EmbeddedFile& file : embedded_runs()) {
        const std::string text(file.text), name(file.name);
        ReadyRun run{name, "", "", text, spec_from_json(text, name)};
        const auto& equations = run.spec.model->equations;
        const auto json = nlohmann::json::parse(text);
        run.title = json.value("title", equations->title.empty() ? run.name : equations->title);
        run.about = json.value("about", equations->about);
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace

std::span<const ReadyRun> ready_runs() {
    static const std::vector<ReadyRun> runs = read_all();
    return runs;
}

const ReadyRun* find_ready_run(std::string_view name) {
    const auto runs = ready_runs();
    const auto found = std::ranges::find(runs, name, &ReadyRun::name);
    return found == runs.end() ? nullptr : &*found;
}

RunSpec named_spec(const std::string& name_or_file) {
    if (const ReadyRun* run = find_ready_run(name_or_file)) return run->spec;
    std::error_code failed;
    const bool may_be_name =
        !is_stream(name_or_file) && name_or_file.find_first_of("./") == std::string::npos;
    if (may_be_name && !std::filesystem::exists(name_or_file, failed))
        throw InputError(Given{"spec"}, unknown_name_message("run", name_or_file, names_of(ready_runs())));
    return read_spec(name_or_file);
}

std::string named_text(const std::string& name_or_file) {
    if (const ReadyRun* run = find_ready_run(name_or_file)) return run->text;
    std::error_code failed;
    return std::filesystem::is_regular_file(name_or_file, failed) ? InputFile(name_or_file).read_text() : "";
}

}  // namespace stencil
