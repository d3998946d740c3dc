// The surroundings of an example: the machine, the report that it fills, and whoever watches.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/examples/example.h"
#include "sim/examples/report.h"
#include "sim/machine/machine.h"

namespace stencil {

class CudaStream;
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

    const ExampleRequest& request() const { return request_; }
    const OptionValues& options() const { return request_.options; }
    const Machine& machine() const { return machine_; }
    int thread_count() const { return report_.threads; }
    /// Made at first use.
    ThreadPool& threads();

    /// Whether the CPU is to be used; whether the GPU is to be used and there is one.
    bool cpu() const { return request_.on_cpu(); }
    bool gpu() const { return why_no_gpu_.empty(); }
    /// Why the GPU is not used: "no NVIDIA driver found".
    const std::string& why_no_gpu() const { return why_no_gpu_; }
    /// Bytes of GPU memory that the example may allocate: --memory-limit, or 95 % of the free memory. The
    /// driver and the libraries load code into the rest later.
    double gpu_budget() const;

    /// A part is a row, or a preparation of rows. Progress is the share of the part that is done, 0 to 1. A
    /// timed part consists of equal calls; the first one warms up. The text of the progress includes the
    /// remaining time of a long part. All three throw Cancelled.
    void begin_part(const std::string& doing);
    void begin_call(int call, int calls);
    void progress(double share_of_call);
    /// Throws Cancelled if the example was cancelled.
    void pause() const;
    bool cancelled() const;

    Report& report() { return report_; }
    /// Adds the row and publishes the report. Throws Cancelled.
    void add(ReportRow row);
    /// Does the work; returns the message of MissingLibrary, CudaError and std::bad_alloc, else nothing.
    static std::string why_failed(const std::function<void()>& work);

    // The machine's limits, measured at first use (some tenths of a second each).
    double copy_gb_per_s(Device device);
    /// Peak rate of fused multiply-adds outside tensor cores, two operations each.
    double tflops(Device device, DType dtype);
    /// Rates of a measured row: bytes moved against a copy, operations against plain multiply-adds.
    Rate memory_rate(const ReportRow& row, double bytes);
    Rate arithmetic_rate(const ReportRow& row, double operations, DType dtype);
    /// Operations against the peak rate of the GPU's tensor cores, computed from clock and units; the limit
    /// is 0 if the GPU has none, or if its rate is not known.
    Rate tensor_rate(const ReportRow& row, double operations, TensorKind kind, const char* name) const;
    /// Operations against the GPU's tensor cores for float64, or against plain multiply-adds without those.
    Rate float64_rate(const ReportRow& row, double operations);

  private:
    const ExampleRequest request_;
    const Machine& machine_;
    ExampleWatch watch_;
    std::string why_no_gpu_;
    Report report_;
    std::unique_ptr<ThreadPool> threads_;
    std::string doing_;
    int call_ = 0, calls_ = 1;  ///< of the part that runs now
    double shown_ = 0;          ///< the share of it that was told last
    std::chrono::steady_clock::time_point begun_;
    double copy_[2] = {0, 0};
    double tflops_[2][2] = {{0, 0}, {0, 0}};
};

/// One way of doing a piece of work on one device: a row of the report.
struct Variant {
    std::string name;
    Device device = Device::cpu;
    /// Fills in the times, the error with its check, and the rates. GPU memory is counted meanwhile, and
    /// refused beyond the budget.
    std::function<void(ReportRow&)> run;
    std::string unsupported = {};  ///< why it cannot run here; empty where it can
    bool inexact = false;          ///< less accurate than its precision, by its nature
    bool lesson = false;           ///< what not to do: left out of the speed-ups
};

/// Runs the variants on the devices of the request, each as a part, and adds their rows. The row of a variant
/// that cannot run, or fails for lack of memory, a library or the GPU, says why; the others still run.
/// Without the CPU its variants have no rows. `type` is that of ReportRow. Throws Cancelled.
void measure(ExampleContext& context,
             const std::string& work,
             DType dtype,
             const std::vector<Variant>& variants,
             const std::string& type = {});

/// The time of one call, by the host's clock.
double seconds_of(const std::function<void()>& work);

/// How often work of so many seconds is repeated unless the request says it: about as often as a second
/// takes, at least 5 times (3 where one takes more than a second, 1 where it takes more than five) and at
/// most 101.
int sensible_repeats(double seconds);

/// Fills in the row's times with those of work by the host's clock, from its call to its return. It is
/// repeated as often as was asked for, else sensible_repeats(). The first call warms up, and is a repeat
/// itself where only one is made. Throws Cancelled between two calls.
void time_host(ExampleContext& context, ReportRow& row, const std::function<void()>& work);

/// By the device's clock, between events before and after what `work` enqueues on the stream.
void time_device(ExampleContext& context,
                 CudaStream& stream,
                 ReportRow& row,
                 const std::function<void()>& work);

/// Checks the request and runs its example. The report of a cancelled example is marked as interrupted and
/// has the rows measured before. Throws InputError, MachineError, CudaError and std::bad_alloc.
Report run_example(const ExampleRequest& request, const Machine& machine, const ExampleWatch& watch);

}  // namespace stencil
