// What an example runs in: the machine, the report that it fills, and whoever watches.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/examples/matmul/tensor_peak.h"
#include "sim/examples/example.h"
#include "sim/examples/report/report.h"
#include "sim/examples/work_progress.h"
#include "sim/machine/machine.h"

namespace stencil {

class ThreadPool;

/// Thrown by ExampleContext::pause() once the example was asked to end.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

/// Callbacks of the caller; each may be empty.
struct ExampleWatch {
    std::function<bool()> cancelled;
    std::function<void(double share, const std::string& doing)> progress;
    std::function<void(const Report&)> news;  ///< the report has grown
};

class ExampleContext {
  public:
    ExampleContext(const ExampleRequest& request, const Machine& machine, ExampleWatch watch);
    ~ExampleContext();

    const Machine& machine() const { return machine_; }
    int thread_count() const { return report_.threads; }
    /// Made at first use.
    ThreadPool& threads();

    /// The GPU can be used and was not excluded.
    bool gpu() const { return gpu_; }
    /// Why not: "no NVIDIA driver found", for a row's why_not.
    const std::string& why_no_gpu() const { return why_no_gpu_; }
    /// Bytes of GPU memory that the example may have: what is free, or what was allowed.
    double gpu_budget() const;

    /// The share of the work that is over, 0 to 1, and what it is doing now. Of the current call of the
    /// current part, where parts were announced. Throws Cancelled.
    void progress(double share, const std::string& doing);
    // As those of WorkProgress.
    void expect(const std::vector<double>& seconds) { progress_.expect(seconds); }
    void begin_part(const std::string& doing);
    void begin_call(int call, int repeats);
    /// A place to end at. Throws Cancelled.
    void pause() const;
    /// The same as a question, for work that others call.
    bool cancelled() const;

    Report& report() { return report_; }
    /// Adds the row, and shows the report as it is now.
    void add(ReportRow row);
    /// A row of the work that can't be measured here, e.g. for want of a GPU.
    void add_absent(ReportRow row, std::string why_not);
    /// Calls `measure`, which completes the row and adds it. Where a library or memory is missing, or CUDA
    /// fails, the row is absent instead, and the others go on.
    void try_row(const ReportRow& row, const std::function<void(ReportRow)>& measure);
    /// The same for work without a row: what went wrong; empty where nothing did.
    static std::string why_failed(const std::function<void()>& work);

    // The machine's limits, measured at first use (some tenths of a second each).
    double copy_gb_per_s(Device device);
    /// Of fused multiply-adds outside tensor cores, two operations each.
    double tflops(Device device, DType dtype);
    /// How fast a row whose seconds are known moved so many bytes, beside a copy; and how fast it computed,
    /// beside plain multiply-adds.
    Rate memory_rate(const ReportRow& row, double bytes);
    Rate arithmetic_rate(const ReportRow& row, double operations, DType dtype);
    /// Of the GPU's tensor cores, computed from clock and units; 0 where the GPU has none, or none known.
    double tensor_tflops(TensorKind kind) const;

  private:
    const Machine& machine_;
    ExampleWatch watch_;
    std::uint64_t memory_limit_;
    bool gpu_ = false;
    std::string why_no_gpu_;
    Report report_;
    std::unique_ptr<ThreadPool> threads_;
    WorkProgress progress_;
    std::string doing_;
    double copy_[2] = {0, 0};
    double tflops_[2][2] = {{0, 0}, {0, 0}};
};

/// Runs the example of the request: its check, the run itself, and what all reports have. A cancelled one is
/// marked as interrupted and has what was found until then. Throws InputError, MachineError, CudaError and
/// std::bad_alloc.
Report run_example(const ExampleRequest& request, const Machine& machine, const ExampleWatch& watch);

}  // namespace stencil
