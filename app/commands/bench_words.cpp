#include "app/commands/bench_words.h"

#include <fmt/format.h>

#include "app/cli.h"
#include "app/launch.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {

void BenchWords::add_to(CLI::App& app) {
    CLI::App* bench = app.add_subcommand(
        "bench", "Measure all methods beside the limits of the machine, each speed with its error");
    LadderSpec& spec = request_.spec;
    add_texts(*bench,
              "size",
              "NX[xNY],...",
              "columns x rows, several separated by commas (default: 512,2000,8192 as far as they fit)",
              [&](const std::string& text) { add_sizes(spec, text); });
    bench->add_flag("--sweep",
                    spec.sweep,
                    "sizes from 256 to the largest square that fits, and why a cell's cost changes");
    add_texts(*bench,
              "method",
              "NAME,...",
              "which methods (default: all of the device)",
              [&](const std::string& text) { add_methods(spec, text); });
    add_setting(*bench, "backend", "whose methods: auto (the GPU's where there is one), cpu or cuda", words_);
    add_setting(*bench, "model", "whose methods: see 'stencilscope models' (default diffusion)", words_);
    for (const char* name : {"equation", "set", "dt", "dx", "stepper"})
        add_setting(*bench, name, std::string(find_setting(name).help), words_);
    bench->add_flag("--work-precision",
                    request_.work_precision,
                    "error against time for all steppers of a typed model and several time steps each");
    add_text(*bench,
             "scale",
             "strong|weak",
             "what several processes gain (with --gpus N or --processes N, or under mpirun): 1, 2, 4 ... of "
             "them on "
             "one field, or on as many rows each (default method: streaming on GPUs, cpu else)",
             [&](const std::string& text) {
                 if (text != "strong" && text != "weak")
                     throw InputError(fmt::format("--scale {}: allowed are strong and weak", quotable(text)));
                 request_.scaling = text == "strong" ? Scaling::strong : Scaling::weak;
             });
    add_processes(*bench);
    add_text(*bench,
             "until",
             "T",
             "of --work-precision: the time of the comparison (default: 200 of rk4's largest stable steps)",
             [&](const std::string& text) {
                 request_.until = parse_real(text, "--until");
                 if (request_.until <= 0) throw InputError("--until: must be above 0");
             });
    add_text(*bench,
             "dtype",
             "T",
             "float32 or float64 (default float32); of --work-precision also both (its default)",
             [&](const std::string& text) {
                 request_.dtypes = {DType::float32, DType::float64};
                 if (text == "both") return;
                 find_setting("dtype").set(spec.run, text);
                 request_.dtypes = {spec.run.dtype};
             })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_setting(*bench, "boundary", "zero, insulated or periodic (default zero)", words_);
    add_setting(*bench, "coefficient", "D dt / dx^2 (default 0.2)", words_);
    add_text(*bench,
             "steps",
             "N",
             "steps of each timed repeat (default: as many as take about 0.2 s, at most 10000)",
             [&](const std::string& text) { spec.steps = parse_integer(text, "--steps", 1, kMaxSteps); });
    add_text(*bench,
             "repeats",
             "N",
             "timed repeats, of which the median counts (default 7, at least 5)",
             [&](const std::string& text) {
                 spec.repeats = int(parse_integer(text, "--repeats", kMinRepeats, 1000));
             });
    add_setting(*bench, "seed", "of the random field to start from", words_);
    add_setting(*bench, "threads", "CPU threads (default: all)", words_);
    add_setting(*bench, "memory-limit", "use no more host or GPU memory, e.g. 2GB", words_);
    bench->add_option("--out", request_.out, "folder for bench.json, bench.csv, bench.png and bench.svg")
        ->type_name("DIR");
    add_text(*bench,
             "kernel",
             "FILE.cu",
             "also a kernel of your own: compiled, checked against the reference, timed beside the methods "
             "(assets/kernels/README.md)",
             [&](const std::string& text) { request_.kernel = text; });
    add_text(*bench,
             "limit",
             "SECONDS",
             "for your own kernel: how long it may take for a launch before it is ended (default 10)",
             [&](const std::string& text) {
                 request_.kernel_limit = double(parse_integer(text, "--limit", 1, 86400));
             });
    bench->add_flag("--save",
                    request_.save,
                    "measure what the method 'auto' goes by, in both precisions, and keep it for later runs");
    add_results(*bench, request_.json, request_.quiet);
}

int BenchWords::run() {
    set_all(request_.spec.run, words_);
    return bench_command(request_);
}

}  // namespace stencil
