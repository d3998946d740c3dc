// Pages that runs are exported as, stepped by Chromium without a screen.

#include "sim/run/output/exports.h"
#include "sim/text/base64.h"
#include "tests/support/runs.h"

namespace {

constexpr long long kPageSteps = 500;
constexpr double kPageError = 1e-5;

// A preset with settings as " NAME=VALUE NAME=VALUE".
struct PageCase {
    std::string model, settings;
};

const std::vector<PageCase> kPageCases{
    {"diffusion", " initial=jagged"},
    {"gray-scott", " show=u*v"},
    {"brusselator", " stepper=rk4"},
    {"allen-cahn", " stepper=heun dt=0.05"},
    {"fitzhugh-nagumo", " stepper=ab2 dt=0.05"},
    {"wave", ""},
    {"burgers", " boundary=insulated"},
    {"island", ""},
    {"forest-fire", ""},
    {"variable-conductivity", ""},
    {"cahn-hilliard", ""},
    {"schroedinger", ""},
};

// Empty if there is none.
std::string chromium() {
    if (const char* given = std::getenv("CHROMIUM")) return given;
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
        if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0) return name;
    return "";
}

// The document of a page after its scripts have run, by a renderer on the CPU. One page in frames is quicker
// than one after the other.
std::string document_of(const ScratchFolder& folder, const std::string& page) {
    const std::string command =
        "timeout 300 " + chromium() +
        " --headless=new --no-sandbox --disable-gpu-sandbox --use-gl=angle --use-angle=swiftshader "
        "--enable-unsafe-swiftshader --allow-file-access-from-files --virtual-time-budget=60000 "
        "--user-data-dir=" +
        (folder / "profile").string() + " --dump-dom 'file://" + (folder / page).string() + "' > " +
        (folder / "document").string() + " 2> " + (folder / "errors").string();
    REQUIRE(std::system(command.c_str()) == 0);
    return read_bytes(folder / "document");
}

void write_page(const ScratchFolder& folder, const std::string& name, Simulation& simulation) {
    const RunOutput output = run_output(simulation);
    find_artifact("web.html")->write({folder / name, output, output.fields.front(), "html"});
}

std::vector<double> decoded(const std::string& coded) {
    const auto bytes = bytes_of_base64(coded);
    REQUIRE(bytes);
    std::vector<float> cells(bytes->size() / sizeof(float));
    std::memcpy(cells.data(), bytes->data(), cells.size() * sizeof(float));
    return {cells.begin(), cells.end()};
}

// Opens every address in a frame and collects what it writes for #test.
constexpr std::string_view kFrames = R"js(<!DOCTYPE html><body><script>
for (const address of ADDRESSES) {
  const frame = document.createElement("iframe");
  frame.src = address;
  document.body.append(frame);
}
const timer = setInterval(() => {
  const frames = [...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument);
  const ended = frames.map((d) => d?.getElementById("result") ?? d?.querySelector("#problem:not([hidden])"));
  if (!ended.every(Boolean)) return;
  clearInterval(timer);
  const text = document.createElement("pre");
  text.textContent = "BEGIN" + JSON.stringify(ended.map((e) => e.textContent)) + "END";
  document.body.replaceChildren(text);
}, 20);
</script></body>)js";

std::string page_of_frames(const std::vector<std::string>& addresses) {
    std::string page(kFrames);
    constexpr std::string_view kPlace = "ADDRESSES";
    return page.replace(page.find(kPlace), kPlace.size(), nlohmann::json(addresses).dump());
}

std::vector<nlohmann::json> results_of(const ScratchFolder& folder,
                                       const std::vector<std::string>& addresses) {
    write_bytes(folder / "frames.html", page_of_frames(addresses));
    const std::string document = document_of(folder, "frames.html");
    const std::size_t begin = document.find(">BEGIN"), end = document.rfind("END<");
    CAPTURE(read_bytes(folder / "errors"));
    REQUIRE(begin < end);
    REQUIRE(end != document.npos);
    std::vector<nlohmann::json> results;
    for (const nlohmann::json& text : nlohmann::json::parse(document.substr(begin + 6, end - begin - 6))) {
        INFO(text.get<std::string>().substr(0, 300));
        results.push_back(nlohmann::json::parse(text.get<std::string>()));
    }
    return results;
}

double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double off = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    REQUIRE(all > 0);
    return std::sqrt(off / all);
}

}  // namespace

TEST_CASE("Pages of twelve models have the program's fields after 500 steps, in Chromium") {
    if (chromium().empty()) skip("there is no Chromium: install it, or set CHROMIUM to one");
    ScratchFolder folder;
    std::vector<std::string> addresses;
    std::vector<std::map<std::string, std::vector<double>>> truths;
    for (const PageCase& one : kPageCases) {
        RunSpec spec = spec_with("model=" + one.model + one.settings + " size=48x40 backend=cpu threads=2");
        Simulation simulation = begun(spec);
        const std::string name = one.model + ".html";
        write_page(folder, name, simulation);
        addresses.push_back(name + "#test=" + std::to_string(kPageSteps));
        simulation.apply(Advance{kPageSteps});
        auto& truth = truths.emplace_back();
        for (const Component& component : spec.model->components)
            truth[component.name] = cells_of(simulation.solver().field({component.name, Quantity::value}));
        if (!truth.contains(spec.shown())) truth["shown"] = cells_of(simulation.field());
    }
    const auto results = results_of(folder, addresses);
    for (std::size_t i = 0; i < kPageCases.size(); ++i) {
        CAPTURE(kPageCases[i].model, kPageCases[i].settings);
        CHECK(results[i]["step"] == kPageSteps);
        for (const auto& [field, cells] : truths[i]) {
            CAPTURE(field);
            CHECK(relative_distance(decoded(results[i]["fields"][field]), cells) <= kPageError);
        }
    }
}
