#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <iterator>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/kernel_trial/trial_json.h"
#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/user_kernel/user_kernel.h"
#if STENCILSCOPE_HAS_CUDA
#include "sim/user_kernel/cuda_launcher.h"
#endif

namespace stencil::user_kernel {
namespace {

using Json = nlohmann::json;

/// Progress and result, sent repeatedly to the parent.
struct Answers {
    std::string doing;
    TrialReport report;

    void tell(const std::string& what, const Json& more = Json::object()) {
        Json json = more;
        json["doing"] = doing = what;
        json["report"] = report;
        const std::string line = json_line(json);
        for (std::size_t done = 0; done < line.size();) {
            const ssize_t count = write(kAnswers, line.data() + done, line.size() - done);
            if (count <= 0) throw MachineError("nobody listens: this command is for the program itself");
            done += std::size_t(count);
        }
    }
};

TrialRequest read_request(const Json& json) {
    TrialRequest asked;
    asked.file = json.at("file");
    asked.text = json.at("text");
    asked.ladder.run = spec_from_json(json.at("spec"), "kernel-trial");
    asked.ladder.steps = json.at("steps");
    asked.ladder.repeats = json.at("repeats");
    asked.ladder.repeat_seconds = json.at("repeat_seconds");
    asked.ladder.sizes = json.at("sizes").get<std::vector<Size>>();
    if (query_cuda().devices.empty()) return asked;
    choose_cuda_device(json.at("gpu"));
    asked.ladder.run.backend = "cuda";
    asked.ladder.methods = {"naive"};  // a valid method; the kernel replaces it
    return asked;
}

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
         "reads or writes several cells at once at an address that is no multiple of their size: rows begin "
         "on "
         "multiples of 128 bytes, and x has to be one of 4 for a float4"},
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
    CudaLauncher<T> launcher(kernel, run.params());
    return check_kernel<T>(
        launcher, kernel.entry, kernel.shape, run, [&](const std::string& doing) { answers.tell(doing); });
}

void time_it(LadderSpec spec, const Machine& machine, Answers& answers) {
    Ladder ladder(std::move(spec), machine, LadderLimits());
    while (!ladder.done()) {
        answers.tell("timed: " + ladder.doing());
        ladder.work();
        answers.report.rows = ladder.rows();
    }
}

void run_on_gpu(TrialRequest& asked,
                const Machine& machine,
                const std::shared_ptr<const UserKernel>& kernel,
                Answers& answers) {
    TrialReport& report = answers.report;
    try {
        const RunSpec& run = asked.ladder.run;
        const Check check = run.dtype == DType::float64 ? check_on_gpu<double>(*kernel, run, answers)
                                                        : check_on_gpu<float>(*kernel, run, answers);
        report.sizes = check.sizes;
        report.error = check.error;
        asked.ladder.kernel = kernel;
        if (check.fault.empty())
            time_it(std::move(asked.ladder), machine, answers);
        else
            report.fault = fmt::format("{}: {}", kernel->name, check.fault);
    } catch (const InputError& error) {
        report.fault = fmt::format("{}: {}", kernel->name, error.what());
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
    const auto kernel = make_user_kernel(asked.ladder.run, asked.text, asked.file, capability());
    answers.report.compiled = kernel->compiled.summary();
    answers.report.steps_fused = kernel->shape.steps;
    answers.report.on_gpu = machine.has_cuda();
    if (machine.has_cuda()) run_on_gpu(asked, machine, kernel, answers);
}

}  // namespace

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
        answers.report.fault = error.what();
    } catch (const std::exception& error) {
        end["failed"] = error.what();
    }
    answers.tell(answers.doing, end);
    // Skip destructors, because the GPU may be unusable.
    _exit(0);
}

}  // namespace stencil::user_kernel
