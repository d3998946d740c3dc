// Watching a kernel's file while it is edited.

#include "sim/kernel_trial/kernel_watch.h"

#include "kernels/equation/cuda/nvrtc.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/skip.h"

using namespace stencil;
using namespace stencil::user_kernel;
using namespace stencil_test;

namespace {

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
