#include "sim/run/choose_method.h"

#include <fstream>

#include "sim/bench/ladder_report.h"
#include "sim/text/embedded.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

MeasuredMachine sample(const std::string& name) {
    MeasuredMachine machine;
    machine.name = name;
    machine.device = Device::cpu;
    machine.date = "2026-01-02";
    machine.methods = {{"cpu", 4, 6, 1.25, 1.5, {{512, 11.8125, 100}, {2000, 200, 1980}}},
                       {"reference", 8, 0, 1, 1, {{64, 3, 3}}}};
    return machine;
}

// Redirects the user's configuration folder during its lifetime.
struct ConfigFolder {
    ScratchFolder scratch;
    Environment variable{"XDG_CONFIG_HOME", scratch.path().string()};
};

Machine machine_named(const std::string& cpu) {
    Machine machine;
    machine.cpu_name = cpu;
    machine.cpu_threads = 2;
    return machine;
}

}  // namespace

TEST_CASE("Measured figures come back from their file as they were") {
    const std::string text = write_measured({sample("one"), sample("two")});
    const auto read = read_measured(text, "x");
    REQUIRE(read.size() == 2);
    REQUIRE(read[1].name == "two");
    REQUIRE(read[0].methods.size() == 2);
    const MeasuredMethod& cpu = read[0].methods[0];
    REQUIRE(cpu.periodic == 1.5);
    REQUIRE(cpu.speeds[0].us_per_step == 11.8125);
    REQUIRE(cpu.speeds[1].us_alone == 1980);
    REQUIRE(read[0].methods[1].cell_bytes == 8);
}

TEST_CASE("Bad figures are refused with the file's name and the member") {
    const auto error = [](const std::string& text) {
        return input_error([&] { read_measured(text, "some.json"); });
    };
    const std::string head =
        R"({"machine":"m","backend":"cpu","methods":[{"method":"cpu","dtype":"float32","speeds":)";
    for (const auto& [text, word] : std::vector<std::pair<std::string, std::string>>{
             {"", "JSON"},
             {"[1]", "JSON"},
             {R"({"machines":[]})", "machines"},
             {R"({"machine":"m","backend":"tpu","methods":[]})", "backend"},
             {head + "[]}]}", "speeds"},
             {head + "[[512]]}]}", "speeds"},
             {head + "[[512,-1]]}]}", "us_per_step"},
             {head + "[[512,1e999]]}]}", ""},
             {head + "[[512,1],[256,1]]}]}", "order"}}) {
        INFO(text);
        REQUIRE(contains(error(text), "some.json"));
        REQUIRE(contains(error(text), word));
    }
    REQUIRE(error(head + "[[512,1]]}]}").empty());
}

TEST_CASE("Built-in figures can be read and name methods that there are") {
    REQUIRE_FALSE(embedded_measured().empty());
    for (const EmbeddedFile& file : embedded_measured())
        for (const MeasuredMachine& machine : read_measured(file.text, std::string(file.name)))
            for (const MeasuredMethod& method : machine.methods) {
                INFO(file.name << " " << method.name);
                const Method* found = find_method(method.name);
                REQUIRE(found);
                REQUIRE(found->device == machine.device);
            }
}

TEST_CASE("auto prefers figures saved for this machine, and says where it goes by another's") {
    const ConfigFolder folder;
    const Machine here = machine_named("An odd processor");
    REQUIRE_FALSE(find_figures(Device::cpu, here).of_this_machine);
    save_measured(sample(device_name(here, Device::cpu, 2)));
    save_measured(sample("another"));
    const MeasuredFigures figures = find_figures(Device::cpu, here);
    REQUIRE(figures.of_this_machine);
    REQUIRE(figures.trouble.empty());
    REQUIRE(figures.machine.methods.front().speeds.front().us_per_step == 11.8125);
    REQUIRE_FALSE(find_figures(Device::cpu, machine_named("A third")).of_this_machine);
    // Saving again replaces the figures.
    MeasuredMachine newer = sample(figures.machine.name);
    newer.methods.front().speeds.front().us_per_step = 10;
    save_measured(newer);
    REQUIRE(find_figures(Device::cpu, here).machine.methods.front().speeds.front().us_per_step == 10);
}

TEST_CASE("A broken file of figures is named, and the built-in ones hold") {
    const ConfigFolder folder;
    const Machine here = machine_named("An odd processor");
    const auto path = save_measured(sample(device_name(here, Device::cpu, 2)));
    std::ofstream(path) << "{\"machines\": 3";
    const MeasuredFigures figures = find_figures(Device::cpu, here);
    REQUIRE(contains(figures.trouble, path.string()));
    REQUIRE_FALSE(figures.machine.methods.empty());
    REQUIRE_FALSE(figures.of_this_machine);
}

TEST_CASE("Rows of the ladder become figures: what a call costs apart from what a step does") {
    const auto row = [](const char* method, int edge, double us) {
        LadderRow result;
        result.method = find_method(method);
        result.size = {edge, edge};
        result.speed.us_per_step = us;
        return result;
    };
    PrecisionRows rows;
    rows.long_calls = {row("reference", 512, 300), row("reference", 64, 5), row("cpu", 64, 1)};
    rows.single_steps = {row("reference", 64, 8), row("reference", 512, 304), row("cpu", 64, 20)};
    const auto methods = measured_methods({rows});
    REQUIRE(methods.size() == 2);
    for (const MeasuredMethod& method : methods) {
        REQUIRE(method.us_per_call == 3);
        const bool fused = find_method(method.name)->steps_fused != 1;
        REQUIRE(method.speeds.front().edge == 64);
        REQUIRE(method.speeds.front().us_alone == (fused ? 17 : 5));
    }
}
