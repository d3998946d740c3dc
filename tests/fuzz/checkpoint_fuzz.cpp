// Fuzzes the run.json of a checkpoint whose checksum fits: an input is a list of changes of its values.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <vector>

#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/problem/start.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "sim/run/resolve.h"
#include "sim/text/json.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;
using Json = nlohmann::ordered_json;

namespace stencil_fuzz {
namespace {

constexpr std::size_t kChange = 4;  // bytes: place (2), kind, number
// Copies of an object into itself double the text; beyond this many values nothing is copied.
constexpr std::size_t kMostValues = 1000;

// Folders with a checkpoint each, removed at exit.
struct Checkpoints {
    Checkpoints() {
        add(R"json({"size": "12x9", "steps": 9, "coefficient": 0.13, "threads": 1, "backend": "cpu",
                "dtype": "float32", "at": ["2:coefficient=0.1", "7:coefficient=0.2"]})json");
        add(R"json({"equation": "du/dt = lap(u) - u*mean(u*k); k = 0.1; dt = 0.1; stepper = ab2", "size": "12x9",
                "steps": 9, "threads": 1, "backend": "cpu", "probe": ["1,2"]})json");
    }
    ~Checkpoints() {
        std::error_code ignored;
        for (const auto& folder : folders) std::filesystem::remove_all(folder, ignored);
    }

    void add(const std::string& text) {
        folders.push_back(scratch_file().string() + fmt::format("-checkpoint-{}", folders.size()));
        RunSpec spec = resolve(spec_from_json(text, "a seed"), machine);
        Simulation simulation(spec, make_start(spec));
        MeasuresOf measures = make_measures(spec);
        FrameProgress frames{{{"u", {0, 1}}}, 1, {{0, {"u"}, spec.dtype, spec.size->nx, spec.size->ny}}};
        add_measures(measures, simulation);
        simulation.apply(Advance{4});
        write_checkpoint(folders.back(), {simulation.state(), measures, frames});
        jsons.push_back(Json::parse(std::ifstream(folders.back() / "checkpoint/run.json")));
        jsons.back().erase("checksum");
    }

    Machine machine = query_machine();
    std::vector<std::filesystem::path> folders;
    std::vector<Json> jsons;
};

Checkpoints& checkpoints() {
    static Checkpoints all;
    return all;
}

void collect(Json& json, std::vector<Json*>& places) {
    places.push_back(&json);
    if (json.is_structured())
        for (Json& inner : json) collect(inner, places);
}

void change(Json& json, std::string_view how) {
    static const std::array kValues{Json(-1),           Json(0),         Json(3),         Json(1LL << 31),
                                    Json(-(1LL << 31)), Json(INT64_MAX), Json(INT64_MIN), Json(UINT64_MAX),
                                    Json(1e308),        Json(-1e308),    Json(0.5),       Json(5e-324),
                                    Json("nan"),        Json("inf"),     Json(""),        Json("float64"),
                                    Json(true),         Json(),          Json::array(),   Json::object()};
    std::vector<Json*> places;
    collect(json, places);
    const auto byte = [&](std::size_t i) { return std::size_t(std::uint8_t(how[i])); };
    Json& place = *places[(byte(0) + 256 * byte(1)) % places.size()];
    const std::size_t kind = byte(2) % (kValues.size() + 4);
    if (kind < kValues.size())
        place = kValues[kind];
    else if (kind == kValues.size() && places.size() < kMostValues)
        place = Json(*places[byte(3) % places.size()]);
    else if (kind == kValues.size() + 1 && place.is_number_integer())
        place = place.get<std::int64_t>() ^ (std::int64_t(1) << byte(3) % 62);
    else if (kind == kValues.size() + 2 && place.is_array() && !place.empty() && places.size() < kMostValues)
        place.push_back(Json(place[byte(3) % place.size()]));
    else if (kind == kValues.size() + 3 && place.is_structured() && !place.empty())
        place.erase(std::next(place.begin(), std::ptrdiff_t(byte(3) % place.size())));
}

// The rest of the run is begun where it is small.
void go_on(const std::filesystem::path& folder) {
    RunCheckpoint checkpoint = read_checkpoint(folder);
    for (const auto& [formula, measures] : checkpoint.measures)
        require(!statistics_csv(measures).empty() && !probes_csv(measures).empty(), "tables are written");
    take_over(checkpoint, {}, checkpoints().machine);
    const RunSpec& now = checkpoint.run.now;
    if (now.size->nx > 64 || now.size->ny > 64 || now.threads > 4) return;
    Simulation simulation(std::move(checkpoint.run));
    simulation.apply(Advance{1});
}

void run_one(std::string_view input) {
    if (input.empty()) return;
    const std::size_t which = std::uint8_t(input[0]) % checkpoints().folders.size();
    Json json = checkpoints().jsons[which];
    for (input.remove_prefix(1); input.size() >= kChange; input.remove_prefix(kChange)) change(json, input);
    std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
    if (text.size() < 3) return;
    text.resize(text.size() - 2);
    text += fmt::format(",\n \"checksum\": \"{:016x}\"\n}}\n", xxh64(std::as_bytes(std::span(text))));
    const std::filesystem::path& folder = checkpoints().folders[which];
    std::ofstream(folder / "checkpoint/run.json", std::ios::binary) << text;
    accepted([&] { go_on(folder); });
}

std::vector<std::string> seeds() {
    using namespace std::string_literals;
    return {"\0"s, "\1"s, "\0\3\0\0\0"s, "\1\x20\0\1\0\x30\0\7\0"s};
}

const Target target("checkpoint", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
