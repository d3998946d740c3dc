// The child process that tries a kernel, and the watch of a file that starts it.
#include <unistd.h>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/kernel_trial/kernel_watch.h"
#include "sim/kernel_trial/trial.h"
#include "sim/machine/child_process.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using namespace stencil::user_kernel;

namespace {

TrialRequest request(const std::string& text, const std::filesystem::path& program = program_file()) {
    TrialRequest asked;
    asked.file = "heat.cu";
    asked.text = text;
    asked.suite.run.threads = 1;
    asked.program = program.string();
    return asked;
}

const std::string kEmpty =
    "extern \"C\" __global__ void step(From from, To to, Size size, Parameters p) {}\n";

/// Waits for news that satisfy a condition.
class Watched {
  public:
    explicit Watched(const std::string& program = program_file())
        : watch_(
              [this] {
                  const std::lock_guard lock(mutex_);
                  ++told_;
                  wake_.notify_all();
              },
              program) {
        run_.size = Size{64, 64};
        run_.threads = 1;
    }

    void watch(const std::filesystem::path& file) { watch_.watch(file.string(), run_); }
    RunSpec& run() { return run_; }

    template <class Wish>
    KernelNews until(Wish wish) {
        for (int seen = 0;;) {
            std::unique_lock lock(mutex_);
            REQUIRE(wake_.wait_for(lock, std::chrono::seconds(60), [&] { return told_ != seen; }));
            seen = told_;
            lock.unlock();
            if (KernelNews news = watch_.news(); wish(news)) return news;
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable wake_;
    int told_ = 0;
    RunSpec run_;
    KernelWatch watch_;
};

}  // namespace

TEST_CASE("A process gets its input, answers line by line, and its end is told") {
    const ScratchFolder scratch;
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line) { lines.emplace_back(line); };
    const auto path =
        write_script(scratch / "child", "read word; echo \"got $word\" >&3; echo two >&3; exit 7").string();
    const ChildEnd end = run_child({{path}, "hello\n"}, take);
    CHECK(end.how == ChildEnd::How::exited);
    CHECK(end.code == 7);
    CHECK(lines == std::vector<std::string>{"got hello", "two"});
    CHECK(contains(message_of<MachineError>([&] {
                       run_child({{(scratch / "none").string()}, ""}, take);
                   }),
                   "none"));
}

TEST_CASE("A process that hangs, is stopped or crashes does not outlive its call") {
    const ScratchFolder scratch;
    const auto path = write_script(scratch / "child", "echo $$ >&3; exec sleep 1000").string();
    pid_t process = 0;
    const auto take = [&](std::string_view line) { process = std::stoi(std::string(line)); };
    CHECK(run_child({{path}, "", 0.2}, take).how == ChildEnd::How::over_limit);
    REQUIRE(process > 0);
    CHECK(kill(process, 0) != 0);
    process = 0;
    CHECK(run_child({{path}, "", 1000}, take, [&] { return process > 0; }).how == ChildEnd::How::stopped);
    CHECK(kill(process, 0) != 0);
    const auto closes = write_script(scratch / "closes", "exec 3>&-; exec sleep 1000").string();
    CHECK(run_child({{closes}, "", 0.2}, take).how == ChildEnd::How::over_limit);
    const auto crash = write_script(scratch / "crash", "kill -SEGV $$").string();
    const ChildEnd end = run_child({{crash}, ""}, take);
    CHECK(end.how == ChildEnd::How::signalled);
    CHECK(end.code == SIGSEGV);
}

TEST_CASE("A trial that hangs or crashes is one line about the kernel, with what it was at") {
    const ScratchFolder scratch;
    const std::string doing = "echo '{\"doing\": \"on 37x53 cells, step 1\"}' >&3; ";
    const auto fault_of = [&](const std::string& end) {
        TrialRequest asked = request(kEmpty, write_script(scratch / "child", doing + end));
        asked.limit_seconds = 0.2;
        return try_kernel(asked).fault;
    };
    const std::string hung = fault_of("exec sleep 1000"), crashed = fault_of("kill -SEGV $$");
    CHECK(contains(hung, "heat.cu"));
    CHECK(contains(hung, "0.2 s"));
    CHECK(contains(hung, "37x53"));
    CHECK(contains(crashed, "signal 11"));
    CHECK(contains(crashed, "37x53"));
}

TEST_CASE("A trial that says nonsense, or nothing, is the machine's failure") {
    const ScratchFolder scratch;
    for (const char* text :
         {"echo what >&3", "echo '{\"doing\": 1}' >&3", "echo '[]' >&3", "exit 0", "exit 3"}) {
        INFO(text);
        const auto asked = request(kEmpty, write_script(scratch / "child", text));
        CHECK(contains(message_of<MachineError>([&] { try_kernel(asked); }), "the process"));
    }
}

TEST_CASE("The program tries kernels in a process of its own, on the CPU where there is no GPU") {
    const bool on_gpu = !query_cuda().devices.empty();
    const TrialReport wrong = try_kernel(request("extern \"C\"\nint x = y;\n"));
    CHECK(contains(wrong.fault, "heat.cu, line 2"));
    CHECK(wrong.compiled.empty());
    std::string doing;
    const TrialReport report = try_kernel(request(kEmpty), [&](const std::string& what) { doing += what; });
    CHECK(contains(doing, "compiling"));
    CHECK(contains(report.compiled, "registers") == equation::why_no_nvrtc().empty());
    CHECK(report.on_gpu == on_gpu);
    CHECK(report.on_cpu == !on_gpu);
    CHECK(contains(report.fault, "never written"));
}

TEST_CASE("bench --kernel says on the command line what is wrong with a file and where") {
    const ScratchFolder scratch;
    const auto file = write_bytes(scratch / "heat.cu", "// nothing\n// stencilscope: blok 8x8\n");
    require_refused(stencilscope("bench --kernel {}", scratch / "none.cu"), 2, "none.cu");
    require_refused(stencilscope("bench --kernel {} --limit 0", file), 2, "--limit");
    require_refused(stencilscope("bench --kernel {} --save", file), 2, "--save");
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    require_refused(stencilscope("bench --kernel {}", file), 2, "heat.cu, line 2");
    require_refused(stencilscope("bench --kernel {} --model fire", file), 2, "model");
    require_refused(stencilscope("kernel-trial --quiet"), 2, "quiet");
}

TEST_CASE("A kernel is tried when its file is chosen, when it is saved, and when the run changes") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    const ScratchFolder scratch;
    const auto file = write_bytes(scratch / "heat.cu", "int x = y;\n");
    Watched watched;
    watched.watch(file);
    const auto fault_with = [](const std::string& part) {
        return [part](const KernelNews& news) {
            return news.doing.empty() && news.report && contains(news.report->fault, part);
        };
    };
    CHECK(watched.until(fault_with("line 1")).file == file.string());
    const auto stamp = std::filesystem::last_write_time(file);
    write_bytes(file, "\nreal x = q;\n");
    std::filesystem::last_write_time(file, stamp + std::chrono::seconds(5));
    watched.until(fault_with("line 2"));
    watched.run().dtype = DType::float64;
    write_bytes(file, "static_assert(sizeof(real) == 4, \"no float\");\n");
    watched.watch(file);
    watched.until(fault_with("no float"));
}

TEST_CASE("A file that is not there is told, and tried once it is there") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    const ScratchFolder scratch;
    Watched watched;
    watched.watch(scratch / "late.cu");
    const KernelNews none = watched.until([](const KernelNews& news) { return !news.failure.empty(); });
    CHECK(contains(none.failure, "late.cu"));
    write_bytes(scratch / "late.cu", "int x = y;\n");
    CHECK(watched.until([](const KernelNews& news) { return news.report.has_value(); }).failure.empty());
}

TEST_CASE("A trial that hangs does not keep the watch from ending") {
    const ScratchFolder scratch;
    const auto program =
        write_script(scratch / "child", "echo '{\"doing\": \"x\"}' >&3; exec sleep 1000").string();
    Watched watched(program);
    watched.watch(write_bytes(scratch / "heat.cu", ""));
    watched.until([](const KernelNews& news) { return !news.doing.empty(); });
}
