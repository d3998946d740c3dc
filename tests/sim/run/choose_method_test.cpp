#include "sim/run/choose_method.h"

#include "kernels/methods/steppers.h"
#include "sim/bench/speed_chart.h"
#include "sim/bench/suite_report.h"
#include "sim/session/pace.h"
#include "sim/text/embedded.h"
#include "tests/support/fields.h"

namespace {

MethodRequest random_request(Dice& dice) {
    MethodRequest request;
    request.device = dice.integer(0, 1) == 0 ? Device::cpu : Device::cuda;
    // From tiny fields to those that fill a GPU, evenly distributed over orders of magnitude.
    const auto length = [&] { return int(std::exp(dice.uniform(0, std::log(60000)))); };
    request.shape = {length(), length()};
    request.cell_bytes = dice.integer(0, 1) == 0 ? sizeof(float) : sizeof(double);
    request.boundary = kBoundaries[std::size_t(dice.integer(0, 2))].boundary;
    request.steps = static_cast<long long>(std::exp(dice.uniform(0, std::log(1e6))));
    return request;
}

bool fits(const Method& method, const MethodRequest& request) {
    return !method.unsupported_reason || method.unsupported_reason(request.shape, request.cell_bytes).empty();
}

MeasuredMachine sample(const std::string& name) {
    MeasuredMachine machine;
    machine.name = name;
    machine.device = Device::cpu;
    machine.date = "2026-01-02";
    machine.methods = {{"cpu", 4, 6, 1.25, 1.5, {{512, 11.8125, 100}, {2000, 200, 1980}}},
                       {"reference", 8, 0, 1, 1, {{64, 3, 3}}}};
    return machine;
}

Machine machine_named(const std::string& cpu) {
    Machine machine;
    machine.cpu_name = cpu;
    machine.cpu_threads = 2;
    return machine;
}

}  // namespace

TEST_CASE("auto takes the method with the least expected time, never a jump nor one that does not fit") {
    Dice dice;
    for (int i = 0; i < 2000; ++i) {
        const MethodRequest request = random_request(dice);
        const Method& chosen = choose_method(request);
        REQUIRE(chosen.device == request.device);
        REQUIRE_FALSE(chosen.jumps);
        REQUIRE(fits(chosen, request));
        const double least = expected_seconds(chosen, request);
        REQUIRE(std::isfinite(least));
        for (const Method& method : methods()) {
            const double seconds = expected_seconds(method, request);
            REQUIRE(least <= seconds);
            if (method.jumps || method.device != request.device || !fits(method, request))
                REQUIRE(std::isinf(seconds));
        }
    }
}

TEST_CASE("A call costs more the more steps it has, and its steps cost less each") {
    Dice dice;
    for (int i = 0; i < 500; ++i) {
        MethodRequest request = random_request(dice);
        for (const Method& method : methods()) {
            request.steps = 1;
            const double one = expected_seconds(method, request);
            if (std::isinf(one)) continue;
            request.steps = 10000;
            const double many = expected_seconds(method, request);
            REQUIRE(many > one);
            REQUIRE(many / 10000 <= one * (1 + 1e-9));
        }
    }
}

TEST_CASE("Between the sizes that were measured the time never falls by much, and beyond them it grows") {
    for (const Method& method : methods()) {
        MethodRequest request;
        request.device = method.device;
        double before = 0;
        for (int edge = 64; edge <= 65536; edge *= 2) {
            request.shape = {edge, edge};
            const double seconds = expected_seconds(method, request);
            if (std::isinf(seconds)) continue;
            INFO(method.name << " " << edge);
            REQUIRE(seconds >= (edge > 16384 ? 3.9 : 0.5) * before);
            before = seconds;
        }
    }
}

TEST_CASE(
    "Whole passes of a method that fuses steps waste nothing, and a remainder costs at most another pass") {
    MethodRequest request{Device::cuda, {8192, 8192}};
    for (const Method& method : methods()) {
        if (method.steps_fused < 2) continue;
        request.device = method.device;
        const auto seconds = [&](long long steps) {
            request.steps = steps;
            return expected_seconds(method, request);
        };
        if (std::isinf(seconds(1))) continue;
        INFO(method.name);
        const int pass = method.steps_fused;
        for (int steps = 1; steps < 3 * pass; ++steps)
            REQUIRE(seconds(steps) <= seconds(steps + 1) * (1 + 1e-9));
        REQUIRE(seconds(pass + 1) <= seconds(2 * pass));
    }
}

TEST_CASE("auto leaves out what is not allowed") {
    const Method& fastest = choose_method({Device::cuda, {2000, 2000}});
    const auto another = [&](const Method& method) { return &method != &fastest; };
    const Method& second = choose_method({Device::cuda, {2000, 2000}}, another);
    REQUIRE(&second != &fastest);
    REQUIRE(expected_seconds(second, {Device::cuda, {2000, 2000}}) >=
            expected_seconds(fastest, {Device::cuda, {2000, 2000}}));
}

TEST_CASE("A better method takes over only after it was better frame after frame") {
    const Method& slow = *find_method("reference");
    const Method& fast = *find_method("cpu");
    const MethodRequest request{Device::cpu, {2000, 2000}, sizeof(float), Boundary::zero, 10};
    AutoMethod follower;
    int frames = 1;
    while (!follower.for_frame(slow, request)) REQUIRE(++frames < 100);
    REQUIRE(frames > 3);
    // A frame in which the present method is the best restarts the count.
    for (int i = 1; i < frames; ++i) REQUIRE_FALSE(follower.for_frame(slow, request));
    REQUIRE_FALSE(follower.for_frame(fast, request));
    for (int i = 1; i < frames; ++i) REQUIRE_FALSE(follower.for_frame(slow, request));
    REQUIRE(follower.for_frame(slow, request) == &fast);
}

TEST_CASE("A long order is worth another method, a short one is not") {
    const Method& slow = *find_method("reference");
    MethodRequest request{Device::cpu, {2000, 2000}, sizeof(float), Boundary::zero, 1};
    REQUIRE_FALSE(AutoMethod::for_order(slow, request));
    request.steps = 100000;
    REQUIRE(AutoMethod::for_order(slow, request) == find_method("cpu"));
    REQUIRE_FALSE(AutoMethod::for_order(*find_method("cpu"), request));
}

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

TEST_CASE("Every method for GPUs has shipped figures of each GPU, and the newest GPU's where none is known") {
    const OwnSettings folder;
    std::vector<std::string> gpus;
    for (const MeasuredMachine& machine : shipped_figures()) {
        if (machine.device != Device::cuda) continue;
        gpus.push_back(machine.short_name);
        CHECK(machine.limits.size() == 2);
        for (const Method& method : methods())
            for (const DType dtype : {DType::float32, DType::float64}) {
                const bool steps = method.device == Device::cuda && !method.jumps;
                INFO(machine.name << " " << method.name);
                CHECK(fastest_text(machine, method, dtype).empty() == !steps);
            }
    }
    CHECK(gpus == std::vector<std::string>{"H100", "H200"});
    CHECK(find_figures(Device::cuda, machine_named("An odd processor")).machine.short_name == "H200");
}

TEST_CASE("auto prefers figures saved for this machine, and says where it goes by another's") {
    const OwnSettings folder;
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
    const OwnSettings folder;
    const Machine here = machine_named("An odd processor");
    const auto path = save_measured(sample(device_name(here, Device::cpu, 2)));
    std::ofstream(path) << "{\"machines\": 3";
    const MeasuredFigures figures = find_figures(Device::cpu, here);
    REQUIRE(contains(figures.trouble, path.string()));
    REQUIRE_FALSE(figures.machine.methods.empty());
    REQUIRE_FALSE(figures.of_this_machine);
}

TEST_CASE("Rows of the suite become figures: what a call costs apart from what a step does") {
    const auto row = [](const char* method, int edge, double us) {
        SuiteRow result;
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

TEST_CASE("auto passes over streaming where the field is narrower than its blocks") {
    for (const std::size_t bytes : {4, 8}) {
        MethodRequest request{Device::cuda, {int(kStreamingRowBytes / bytes), 400000}};
        request.cell_bytes = bytes;
        INFO(bytes);
        REQUIRE(choose_method(request).name == "streaming");
        --request.shape.nx;
        REQUIRE(choose_method(request).name != "streaming");
    }
}
