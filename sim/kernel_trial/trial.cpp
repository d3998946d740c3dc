#include "sim/kernel_trial/trial.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>

#include "sim/files/descriptor.h"
#include "sim/files/input_file.h"
#include "sim/kernel_trial/check.h"
#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/ladder.h"

namespace stencil {

// Messages between a trial's processes.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Size, nx, ny)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Speed, us_per_step, gcells_per_s, effective_gb_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuiteRow,
                                   size,
                                   fits,
                                   why_not,
                                   steps,
                                   repeats,
                                   seconds,
                                   spread,
                                   speed,
                                   total_steps,
                                   error,
                                   truth,
                                   truth_error)

namespace user_kernel {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Usage, registers, spill_bytes, local_bytes, shared_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    TrialReport, fault, compiled, on_gpu, sizes, error, steps_fused, usage, compute_capability, rows, stopped)

namespace {

using Json = nlohmann::json;

// Formats JSON on one line; invalid UTF-8 is replaced.
std::string json_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string text_of(const TrialRequest& request) {
    const SuiteSpec& suite = request.suite;
    return json_line({{"file", request.file},
                      {"text", request.text},
                      {"spec", json_line(to_json(suite.run))},
                      {"steps", suite.steps},
                      {"repeats", suite.repeats},
                      {"repeat_seconds", suite.repeat_seconds},
                      {"gpu", default_cuda_device()},
                      {"sizes", suite.sizes}});
}

TrialRequest read_request(const Json& json) {
    TrialRequest asked;
    asked.file = json.at("file");
    asked.text = json.at("text");
    asked.suite.run = spec_from_json(json.at("spec"), "kernel-trial");
    asked.suite.steps = json.at("steps");
    asked.suite.repeats = json.at("repeats");
    asked.suite.repeat_seconds = json.at("repeat_seconds");
    asked.suite.sizes = json.at("sizes").get<std::vector<Size>>();
    if (query_cuda().devices.empty()) return asked;
    choose_cuda_device(json.at("gpu"));
    asked.suite.run.backend = "cuda";
    asked.suite.methods = {"naive"};  // a valid method; the kernel replaces it
    return asked;
}

/// Messages received from the child.
struct Heard {
    std::string doing = "before it began";
    std::string failed;
    bool done = false;
    TrialReport report;

    void take(std::string_view line) try {
        Json json = Json::parse(line);
        doing = json.at("doing");
        failed = printable(json.value("failed", ""));
        done = json.value("done", false);
        if (!json.contains("report")) return;
        for (Json& row : json["report"].at("rows"))  // null stands for NaN and infinity
            if (row.at("error").is_null()) row["error"] = std::numeric_limits<double>::quiet_NaN();
        report = json["report"];
        report.fault = printable(report.fault);
    } catch (const Json::exception&) {
        throw MachineError("the answer of the process that tries the kernel cannot be read: " +
                           quotable(line));
    }
};

// --- The child

/// Progress and result, sent repeatedly to the parent.
struct Answers {
    std::string doing;
    TrialReport report;

    void tell(const std::string& what, const Json& more = Json::object()) {
        Json json = more;
        json["doing"] = doing = what;
        json["report"] = report;
        const std::string line = json_line(json);
        if (!write_all(kAnswers, std::as_bytes(std::span(line))))
            throw MachineError("nobody listens: this command is for the program itself");
    }
};

// Without a GPU the kernel is compiled for Hopper.
int capability() {
    const int own = default_compute_capability();
    return own > 0 ? own : 90;
}

#if STENCILSCOPE_HAS_CUDA

// Explains a CUDA error to the kernel's author; empty if the kernel is not to blame.
std::string words_for(const std::string& error) {
    struct Row {
        const char* name;
        const char* words;
    };
    static constexpr Row rows[] = {
        {"IllegalAddress", "reads or writes memory far outside of the field: check every index"},
        {"ILLEGAL_ADDRESS", "reads or writes memory far outside of the field: check every index"},
        {"MisalignedAddress",
         "reads or writes several cells at once at an address that is not a multiple of their size: rows "
         "begin "
         "on multiples of 128 bytes, and x has to be one of 4 for a float4"},
        {"HardwareStackError", "a stack overflowed: is there a recursion without end?"},
        {"IllegalInstruction", "it was ended by an instruction that this GPU does not have, or a __trap()"},
        {"Assert", "an assert() in it does not hold"},
        {"InvalidPc", "it jumps to where there is no code"},
        {"LaunchTimeout", "it was ended by the driver, which lets no kernel run so long beside a screen"},
        {"LaunchFailure",
         "it was ended by an exception on the GPU: a __trap(), or shared memory out of bounds"}};
    for (const Row& row : rows)
        if (error.find(row.name) != std::string::npos) return row.words;
    return "";
}

template <class T>
Check check_on_gpu(const UserKernel& kernel, const RunSpec& run, Answers& answers) {
    return check_kernel<T>(
        gpu_launch<T>(kernel, run.params()), kernel.entry, kernel.shape, run, [&](const std::string& doing) {
            answers.tell(doing);
        });
}

void time_it(SuiteSpec spec, const Machine& machine, Answers& answers) {
    Suite suite(std::move(spec), machine, SuiteLimits());
    while (!suite.done()) {
        answers.tell("timed: " + suite.doing());
        suite.work();
        answers.report.rows = suite.rows();
    }
}

void run_on_gpu(TrialRequest& asked,
                const Machine& machine,
                const std::shared_ptr<const UserKernel>& kernel,
                Answers& answers) {
    TrialReport& report = answers.report;
    try {
        const RunSpec& run = asked.suite.run;
        const Check check = run.dtype == DType::float64 ? check_on_gpu<double>(*kernel, run, answers)
                                                        : check_on_gpu<float>(*kernel, run, answers);
        report.sizes = check.sizes;
        report.error = check.error;
        asked.suite.kernel = kernel;
        if (check.fault.empty())
            time_it(std::move(asked.suite), machine, answers);
        else
            report.fault = fmt::format("{}: {}", kernel->name, check.fault);
    } catch (const InputError& error) {
        report.fault = fmt::format("{}: {}", kernel->name, error.sentence());
    } catch (const CudaError& error) {
        const std::string words = words_for(error.what());
        if (words.empty()) throw;
        report.fault = fmt::format("{}: {}: {}", kernel->name, answers.doing, words);
    }
}

#else

void run_on_gpu(TrialRequest&, const Machine&, const std::shared_ptr<const UserKernel>&, Answers&) {}

#endif

void do_trial(const Json& request, Answers& answers) {
    answers.tell("the machine is asked what it has");
    TrialRequest asked = read_request(request);
    const Machine machine = query_machine();
    answers.tell("compiling");
    const auto kernel = make_user_kernel(asked.suite.run, asked.text, asked.file, capability());
    answers.report.compiled = kernel->compiled.summary();
    answers.report.steps_fused = kernel->shape.steps;
    answers.report.usage = kernel->compiled.usage;
    answers.report.compute_capability = kernel->compiled.compute_capability;
    answers.report.on_gpu = machine.has_cuda();
    if (machine.has_cuda()) run_on_gpu(asked, machine, kernel, answers);
}

}  // namespace

std::string kernel_text(const std::string& file) {
    std::error_code ignored;
    const Rung* rung = std::filesystem::exists(file, ignored) ? nullptr : find_rung(file);
    if (rung) return std::string(rung->text);
    constexpr std::uintmax_t kMostBytes = 4'000'000;
    return InputFile(file).read_text(kMostBytes);
}

TrialReport try_kernel(const TrialRequest& request,
                       const std::function<void(const std::string& doing)>& doing,
                       const std::function<bool()>& stop) {
    ChildCommand command{{request.program.empty() ? own_program() : request.program, "kernel-trial"},
                         text_of(request),
                         request.limit_seconds};
    Heard heard;
    const auto take = [&](std::string_view line) {
        heard.take(line);
        if (!heard.failed.empty()) throw MachineError(heard.failed);
        if (doing) doing(heard.doing);
    };
    const ChildEnd end = run_child(command, take, stop);
    TrialReport report = std::move(heard.report);
    const std::string name = printable(std::filesystem::path(request.file).filename().string());
    using How = ChildEnd::How;
    if (end.how == How::over_limit)
        report.fault = fmt::format("{}: did not end within {} s: {} (--limit gives it more)",
                                   name,
                                   request.limit_seconds,
                                   heard.doing);
    if (end.how == How::signalled)
        report.fault = fmt::format(
            "{}: ended its process by signal {} ({}): {}", name, end.code, strsignal(end.code), heard.doing);
    if (end.how == How::exited && !heard.done)
        throw MachineError(
            "the process that tries the kernel ended early, with status {}: {}", end.code, heard.doing);
    report.stopped = end.how == How::stopped;
    return report;
}

int trial_child() {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    Answers answers;
    Json end{{"done", true}};
    try {
        do_trial(Json::parse(text), answers);
    } catch (const Json::exception&) {
        throw InputError(
            "kernel-trial: this command is for the program itself; try 'stencilscope bench --kernel "
            "FILE.cu'");
    } catch (const InputError& error) {
        answers.report.fault = error.sentence();
    } catch (const std::exception& error) {
        end["failed"] = error.what();
    }
    answers.tell(answers.doing, end);
    // Skip destructors, because the GPU may be unusable.
    _exit(0);
}

}  // namespace user_kernel
}  // namespace stencil
