// stencilscope example, for every row of the table.

#include <fmt/format.h>

#include "sim/examples/example.h"
#include "sim/text/names.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using OrderedJson = nlohmann::ordered_json;

TEST_CASE("example --list names every example, and each has its help") {
    const ProgramResult list = require_done(stencilscope("example --list"));
    REQUIRE_FALSE(stencil::examples().empty());
    for (const stencil::Example& example : stencil::examples()) {
        CAPTURE(example.name);
        REQUIRE(contains(list.out, std::string(example.name)));
        const ProgramResult help = require_done(stencilscope("example {} --help", std::string(example.name)));
        for (const stencil::ExampleOption& option : example.options) {
            REQUIRE(contains(help.out, fmt::format("--{}", option.name)));
            if (!option.standard.empty()) REQUIRE(contains(help.out, std::string(option.standard)));
        }
        for (const char* common : {"--dtype", "--repeats", "--backend", "--json", "--out", "--memory-limit"})
            REQUIRE(contains(help.out, common));
    }
}

TEST_CASE("Every example prints its rows and writes its report, tables and figures") {
    const std::map<std::string, std::string> small = {
        {"elementwise", "--size 123x77"},
        {"add", "--length 10007"},
        {"dot", "--length 10007"},
        {"reduce", "--length 10007"},
        {"matmul", "--m 101 --k 53 --n 71 --repetitions 2"},
        {"einsum", "--sizes i=101,j=53,k=71 --repetitions 2"},
        {"ridge", "--rows 150 --columns 120"},
    };
    for (const auto& name : stencil::names_of(stencil::examples())) {
        CAPTURE(name);
        const ScratchFolder folder;
        const ProgramResult result = require_done(
            stencilscope("example " + name + " " + small.at(name) + " --repeats 2 --backend cpu --out {}",
                         folder / "out"));
        const OrderedJson report = OrderedJson::parse(read_bytes(folder / "out/report.json"));
        REQUIRE(report.at("example") == name);
        REQUIRE_FALSE(report.at("interrupted").get<bool>());
        for (const OrderedJson& row : report.at("rows"))
            if (!row.at("seconds").is_null())
                REQUIRE(contains(result.out, row.at("name").get<std::string>()));
        for (const char* file : {"out/rows.csv", "out/times.png", "out/times.svg"})
            REQUIRE(std::filesystem::file_size(folder / file) > 100);
        for (const OrderedJson& curve : report.at("curves"))
            REQUIRE(std::filesystem::file_size(
                        folder / fmt::format("out/{}.png", curve.at("id").get<std::string>())) > 1000);
    }
}

TEST_CASE("example refuses what it can't do in one line, and writes nothing") {
    const ScratchFolder folder;
    const std::string out = (folder / "out").string();
    for (const auto& name : stencil::names_of(stencil::examples())) {
        CAPTURE(name);
        for (const auto& [words, part] : {std::pair{"--dtype float16", "float32, float64 or both"},
                                          {"--repeats 0", "--repeats 0"},
                                          {"--backend gpu", "auto, cpu, cuda"},
                                          {"--memory-limit -3", "number of bytes"},
                                          {"--no-such-option", "--no-such-option"}})
            require_refused(stencilscope("example " + name + " " + words + " --out {}", out), 2, part);
    }
    REQUIRE_FALSE(std::filesystem::exists(out));
    require_refused(stencilscope("example"), 2, "--list");
    require_refused(stencilscope("example matmull"), 2, "did you mean 'matmul'");
}

TEST_CASE("An option may have an empty value, with or without an equals sign") {
    for (const char* empty : {"--subscripts=", "--subscripts {}"}) {
        const ProgramResult result =
            require_done(stencilscope("example einsum --backend cpu --repeats 1 " + std::string(empty), ""));
        REQUIRE(contains(result.out, "backend cpu"));
    }
}

TEST_CASE("example ends on Ctrl-C with what it had found", "[long]") {
    const ScratchFolder folder;
    const std::string file = (folder / "report.json").string();
    const ProgramResult result = run_program(
        words("example matmul --m 3000 --k 3000 --n 3000 --repeats 1000 --backend cpu --json {}", file),
        {.interrupt_after = 0.5});
    REQUIRE(result.status == 130);
    REQUIRE(contains(result.err, "interrupted"));
    REQUIRE(OrderedJson::parse(read_bytes(file)).at("interrupted").get<bool>());
}
