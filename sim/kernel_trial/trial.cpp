#include "sim/kernel_trial/trial.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <iostream>
#include <iterator>
#include <limits>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/files/descriptor.h"
#include "sim/files/input_file.h"
#include "sim/kernel_trial/check.h"
#include "sim/kernel_trial/cpu_kernel.h"
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
    Traffic, loads_per_cell, stores_per_cell, sectors, passes, worst_global, worst_shared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialReport,
                                   fault,
                                   compiled,
                                   on_gpu,
                                   on_cpu,
                                   why_not,
                                   sizes,
                                   error,
                                   traffic,
                                   right_under,
                                   wrong_under,
                                   steps_fused,
                                   usage,
                                   compute_capability,
                                   rows,
                                   stopped)

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
                      {"on_cpu", request.on_cpu},
                      {"is_lesson", request.is_lesson},
                      {"is_large", request.is_large},
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
    asked.is_lesson = json.at("is_lesson");
    asked.is_large = json.at("is_large");
    asked.on_cpu = json.at("on_cpu") || query_cuda().devices.empty();
    if (asked.on_cpu) return asked;
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

// Checks a kernel on the CPU under the run's boundary and under the others, which a kernel that is no lesson
// may leave out.
class CpuTrial {
  public:
    CpuTrial(const TrialRequest& asked, Answers& answers)
        : asked_(asked),
          report_(answers.report),
          answers_(answers),
          file_(std::filesystem::path(asked.file).filename()) {}

    void run() {
        const RunSpec& run = asked_.suite.run;
        const auto kernel = compiled(run);
        if (!kernel) return;
        report_.on_cpu = true;
        take(checked(*kernel, run, ""));
        if (report_.fault.empty() && !run.boundary_as_typed)
            for (const BoundaryRow& row : kBoundaries)
                if (row.boundary != run.boundary) check_other(row);
        if (report_.fault.empty() && asked_.is_large) {
            answers_.tell("on a field of more cells than an int can number");
            take({kernel->large_field_fault(run.params(), run.dx)});
        }
        if (!report_.fault.empty()) return;
        answers_.tell("counting its accesses of memory");
        report_.traffic = kernel->traffic(run.params(), run.dx);
    }

  private:
    // Returns null if it is a kernel for GPUs alone: NVRTC takes it, and the CPU's compiler does not.
    std::unique_ptr<CpuKernel> compiled(const RunSpec& run) {
        // Compilers have limits of their own, and a busy machine is no fault of the kernel.
        auto made = std::async(std::launch::async, [&] {
            return std::make_unique<CpuKernel>(
                entry_of(run), read_launch_shape(asked_.text, file_), asked_.text, file_);
        });
        do answers_.tell("compiling for the CPU");
        while (made.wait_for(std::chrono::seconds(1)) != std::future_status::ready);
        try {
            return made.get();
        } catch (const InputError& error) {
            if (report_.compiled.empty()) throw;
            report_.why_not = error.sentence();
        } catch (const MachineError& error) {
            if (report_.compiled.empty()) throw;
            report_.why_not = error.what();
        }
        return nullptr;
    }

    Check checked(CpuKernel& kernel, const RunSpec& run, const std::string& under) {
        return run.dtype == DType::float64 ? checked_as<double>(kernel, run, under)
                                           : checked_as<float>(kernel, run, under);
    }

    template <class T>
    Check checked_as(CpuKernel& kernel, const RunSpec& run, const std::string& under) {
        Check check;
        try {
            check = check_kernel<T>(kernel.launcher<T>(run.params(), run.dx),
                                    entry_of(run),
                                    read_launch_shape(asked_.text, file_),
                                    run,
                                    [&](const std::string& doing) { answers_.tell(under + doing); });
            if (!check.fault.empty()) check.fault = under + kernel.with_line(check.fault);
        } catch (const KernelFault& fault) {
            check.fault = fmt::format("{}: {}", answers_.doing, fault.what());
        }
        return check;
    }

    void take(const Check& check) {
        if (!check.fault.empty()) report_.fault = fmt::format("{}: {}", file_, check.fault);
        report_.sizes = std::max(report_.sizes, check.sizes);
        report_.error = std::max(report_.error, check.error);
    }

    void check_other(const BoundaryRow& row) {
        RunSpec run = asked_.suite.run;
        run.boundary = row.boundary;
        const auto kernel = compiled(run);
        if (!kernel) return;
        const Check check = checked(*kernel, run, fmt::format("under the {} boundary, ", row.name));
        if (asked_.is_lesson && report_.fault.empty()) take(check);
        (check.fault.empty() ? report_.right_under : report_.wrong_under).emplace_back(row.name);
    }

    const TrialRequest& asked_;
    TrialReport& report_;
    Answers& answers_;
    std::string file_;
};

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
    answers.tell("compiling");
    TrialReport& report = answers.report;
    if (!asked.on_cpu || equation::why_no_nvrtc().empty()) {
        const auto kernel = make_user_kernel(asked.suite.run, asked.text, asked.file, capability());
        report.compiled = kernel->compiled.summary();
        report.usage = kernel->compiled.usage;
        report.compute_capability = kernel->compiled.compute_capability;
        report.steps_fused = kernel->shape.steps;
        report.on_gpu = !asked.on_cpu;
        if (report.on_gpu) run_on_gpu(asked, query_machine(), kernel, answers);
    }
    if (asked.on_cpu) CpuTrial(asked, answers).run();
}

}  // namespace

std::string TrialReport::cpu_words() const {
    const auto under = [](const char* what, const std::vector<std::string>& boundaries) {
        return boundaries.empty() ? "" : fmt::format("; {} under {}", what, fmt::join(boundaries, " and "));
    };
    return fmt::format("right on {} sizes, step by step; largest error {:.1e}; {}{}{}",
                       sizes,
                       error,
                       traffic.words(),
                       under("also right", right_under),
                       under("wrong", wrong_under));
}

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
