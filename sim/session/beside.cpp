#include "sim/session/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/model/time_step.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

constexpr const char *kSweep = "sweep", *kRunB = "run_b", *kFit = "fit";
using Json = nlohmann::ordered_json;

Beside beside_from_json(const Json& json, const std::string& file) {
    Beside beside;
    if (json.contains(kSweep))
        beside.sweep = std::make_shared<const SweepSpec>(sweep_from_json(json.at(kSweep).dump(), file));
    if (json.contains(kFit)) beside.fit = fitting::fit_words_from_json(json.at(kFit));
    if (!json.contains(kRunB)) return beside;
    const Json& run = json.at(kRunB);
    beside.run_b = RunB{run.at("parameter").get<std::string>(), {}};
    for (const Json& one : run.at("values"))
        beside.run_b->values.push_back({one.at(0).get<long long>(), one.at(1).get<std::string>()});
    if (beside.run_b->values.empty() || beside.run_b->values.front().step != 0)
        throw InputError("{}: run B needs a value from step 0 on", file);
    return beside;
}

}  // namespace

void RunB::set(long long step, std::string value) {
    std::erase_if(values,
                  [&](const Value& one) { return one.step > step || (one.step == step && step > 0); });
    if (step == 0) values.clear();
    values.push_back({step, std::move(value)});
}

RunSpec sweep_base(RunSpec now, Size tile) {
    now.dt = undecided(now.dt);
    now.edits = {};
    now.dt_log = {};
    static_cast<Output&>(now) = {};
    now.exports.clear();
    static_cast<Ending&>(now) = {0};
    return with_setting(std::move(now), setting_name::size, fmt::format("{}x{}", tile.nx, tile.ny));
}

Size usual_tile(const RunSpec& now) {
    constexpr int kSide = 64;
    const Size size = now.size.value_or(Size());
    return {std::min(kSide, size.nx), std::min(kSide, size.ny)};
}

Json to_json(const Beside& beside) {
    Json json;
    if (beside.sweep) json[kSweep] = to_json(*beside.sweep);
    if (!beside.fit.empty()) json[kFit] = fitting::to_json(beside.fit);
    if (!beside.run_b) return json;
    Json& run = json[kRunB] = {{"parameter", beside.run_b->parameter}};
    for (const auto& [step, value] : beside.run_b->values) run["values"].push_back({step, value});
    return json;
}

Beside beside_of_file(const std::string& text, const std::string& file) {
    if (is_sweep(text)) return {std::make_shared<const SweepSpec>(sweep_from_json(text, file)), {}, {}};
    try {
        const Json json = Json::parse(text);
        return json.contains(kBesideKey) ? beside_from_json(json.at(kBesideKey), file) : Beside();
    } catch (const Json::exception&) {
        throw InputError("{}: what is shown beside the run cannot be read", file);
    }
}

Beside beside_of(const ReadyRun& run) {
    Beside beside = beside_of_file(run.text, run.name);
    if (!beside.sweep) return beside;
    SweepSpec sweep = *beside.sweep;
    static_cast<Ending&>(sweep.base) = {0};
    beside.sweep = std::make_shared<const SweepSpec>(std::move(sweep));
    return beside;
}

}  // namespace stencil
