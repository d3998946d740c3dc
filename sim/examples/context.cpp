#include "sim/examples/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "kernels/cpu/late_library.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/machine/median.h"
#include "sim/machine/roofline.h"

namespace stencil {
namespace {

nlohmann::ordered_json settings_of(const ExampleRequest& request) {
    nlohmann::ordered_json json;
    for (const ExampleOption& option : request.options.options()) {
        if (!option.replaced_by.empty() && request.options.given(option.replaced_by)) continue;
        const auto values = request.options.all(option.name);
        const std::string name(option.name);
        if (option.repeatable)
            json[name] = values;
        else
            json[name] = values.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(values.back());
    }
    json["backend"] = request.backend();
    json["dtype"] = nlohmann::ordered_json::array();
    for (const DType dtype : request.dtypes()) json["dtype"].push_back(std::string(name_of(dtype)));
    const int repeats = request.repeats();
    json["repeats"] = repeats == 0 ? nlohmann::ordered_json("auto") : nlohmann::ordered_json(repeats);
    if (request.memory_limit() != kNoMemoryLimit) json["memory-limit"] = request.memory_limit();
    return json;
}

// ", about 9 min left"; empty for a short time.
std::string text_of_rest(double seconds) {
    constexpr double kShort = 10, kMinute = 60, kHour = 3600;
    if (seconds < kShort) return "";
    if (seconds < 1.5 * kMinute) return fmt::format(", about {:.0f} s left", seconds);
    if (seconds < 1.5 * kHour) return fmt::format(", about {:.0f} min left", seconds / kMinute);
    return fmt::format(", about {:.0f} h left", seconds / kHour);
}

// Memory that a measurement allocates is not counted as the example's.
double beside_the_work(const std::function<double()>& measure) {
#if STENCILSCOPE_HAS_CUDA
    const CudaMemoryUncounted uncounted;
#endif
    return measure();
}

void take_times(ExampleContext& context, ReportRow& row, const std::function<double()>& once) {
    int repeats = context.request().repeats();
    context.begin_call(0, repeats == 1 ? 1 : 1 + std::max(repeats, 5));
    const double first = once();
    if (repeats == 0) repeats = sensible_repeats(first);
    std::vector<double> times;
    if (repeats == 1) times.push_back(first);
    while (int(times.size()) < repeats) {
        context.pause();
        context.begin_call(int(times.size()) + 1, repeats + 1);
        times.push_back(once());
    }
    const auto [least, most] = std::ranges::minmax(times);
    row.seconds = median(times);
    row.spread = row.seconds > 0 ? (most - least) / row.seconds : 0;
    row.repeats = repeats;
}

}  // namespace

ExampleContext::ExampleContext(const ExampleRequest& request, const Machine& machine, ExampleWatch watch)
    : request_(request), machine_(machine), watch_(std::move(watch)) {
    report_.example = request.example->name;
    report_.threads = stencil::thread_count(request.threads(), machine.cpu_threads);
    report_.cpu = device_name(machine, Device::cpu, report_.threads);
    report_.has_gpu = machine.has_cuda();
    why_no_gpu_ = !machine.has_cuda() ? machine.cuda.why_none : request.on_gpu() ? "" : "--backend cpu";
    report_.gpu =
        machine.has_cuda() ? device_name(machine, Device::cuda, report_.threads) : machine.cuda.why_none;
    report_.settings = settings_of(request_);
}

ExampleContext::~ExampleContext() = default;

ThreadPool& ExampleContext::threads() {
    if (!threads_) threads_ = std::make_unique<ThreadPool>(report_.threads);
    return *threads_;
}

double ExampleContext::gpu_budget() const {
    const auto free = double(cuda_memory().free_bytes);
    const std::uint64_t limit = request_.memory_limit();
    return limit == kNoMemoryLimit ? 0.95 * free : std::min(free, double(limit));
}

void ExampleContext::begin_part(const std::string& doing) {
    doing_ = doing;
    shown_ = 0;
    begun_ = std::chrono::steady_clock::now();
    begin_call(0, 1);
}

void ExampleContext::begin_call(int call, int calls) {
    call_ = call;
    calls_ = calls;
    progress(0);
}

void ExampleContext::progress(double share) {
    shown_ = std::max(shown_, (call_ + std::clamp(share, 0.0, 1.0)) / calls_);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    if (watch_.progress)
        watch_.progress(shown_, doing_ + text_of_rest(shown_ > 0 ? passed.count() * (1 / shown_ - 1) : 0));
    pause();
}

bool ExampleContext::cancelled() const {
    return watch_.cancelled && watch_.cancelled();
}

void ExampleContext::pause() const {
    if (cancelled()) throw Cancelled();
}

void ExampleContext::add(ReportRow row) {
    report_.rows.push_back(std::move(row));
    if (watch_.news) watch_.news(report_);
    pause();
}

std::string ExampleContext::why_failed(const std::function<void()>& work) {
    try {
        work();
    } catch (const MissingLibrary& missing) {
        return missing.what();
    } catch (const CudaError& failure) {
        return failure.what();
    } catch (const std::bad_alloc&) {
        return "out of memory";
    }
    return {};
}

double ExampleContext::copy_gb_per_s(Device device) {
    double& rate = copy_[std::size_t(device)];
    if (rate == 0) rate = beside_the_work([&] { return measure_copy_bandwidth(device, report_.threads); });
    return rate;
}

double ExampleContext::tflops(Device device, DType dtype) {
    double& rate = tflops_[std::size_t(device)][std::size_t(dtype)];
    if (rate == 0)
        rate = 2e-12 * beside_the_work([&] { return measure_issue_rate(device, dtype, report_.threads); });
    return rate;
}

Rate ExampleContext::memory_rate(const ReportRow& row, double bytes) {
    return {bytes / row.seconds / 1e9, "GB/s", copy_gb_per_s(row.backend), "copy, measured"};
}

Rate ExampleContext::arithmetic_rate(const ReportRow& row, double operations, DType dtype) {
    return {operations / row.seconds / 1e12,
            "TFLOP/s",
            tflops(row.backend, dtype),
            "peak multiply-adds, measured"};
}

Rate ExampleContext::tensor_rate(const ReportRow& row,
                                 double operations,
                                 [[maybe_unused]] TensorKind kind,
                                 const char* name) const {
    Rate rate{operations / row.seconds / 1e12,
              "TFLOP/s",
              0,
              fmt::format("{}, computed from clock and units", name)};
#if STENCILSCOPE_HAS_CUDA
    const CudaDevice& device = machine_.gpu();
    rate.limit =
        1e-12 * matmul::cuda_clock_rate() * device.facts.multiprocessors *
        tensor_operations_per_clock(device.facts.capability / 10, device.facts.capability % 10, kind);
#endif
    return rate;
}

Rate ExampleContext::float64_rate(const ReportRow& row, double operations) {
    if (row.backend == Device::cuda)
        if (Rate rate = tensor_rate(row, operations, TensorKind::float64, "float64 tensor cores");
            rate.limit > 0)
            return rate;
    return arithmetic_rate(row, operations, DType::float64);
}

void measure(ExampleContext& context,
             const std::string& work,
             DType dtype,
             const std::vector<Variant>& variants,
             const std::string& type) {
    for (const Variant& variant : variants) {
        const bool gpu = variant.device == Device::cuda;
        if (!gpu && !context.cpu()) continue;
        ReportRow row{
            .work = work, .name = variant.name, .backend = variant.device, .dtype = dtype, .type = type};
        row.inexact = variant.inexact;
        row.not_compared = variant.lesson;
        row.why_not = gpu && !context.gpu() ? context.why_no_gpu() : variant.unsupported;
        if (row.measured()) {
            context.begin_part(
                fmt::format("{}, {} on the {}", variant.name, type_name(row), gpu ? "GPU" : "CPU"));
            ReportRow measured = row;
            row.why_not = context.why_failed([&] {
#if STENCILSCOPE_HAS_CUDA
                std::optional<CudaMemoryMeter> meter;
                if (gpu) meter.emplace(std::size_t(context.gpu_budget()));
#endif
                variant.run(measured);
#if STENCILSCOPE_HAS_CUDA
                if (gpu) measured.gpu_memory = double(meter->peak_bytes());
#endif
            });
            if (row.measured()) row = std::move(measured);
        }
        context.add(std::move(row));
    }
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int sensible_repeats(double seconds) {
    constexpr int kMin = 5, kMax = 101;
    if (seconds > 5) return 1;
    if (seconds > 1) return 3;
    return std::clamp(int(1 / std::max(seconds, 1e-9)), kMin, kMax);
}

void time_host(ExampleContext& context, ReportRow& row, const std::function<void()>& work) {
    take_times(context, row, [&] { return seconds_of(work); });
}

#if STENCILSCOPE_HAS_CUDA
void time_device(ExampleContext& context,
                 CudaStream& stream,
                 ReportRow& row,
                 const std::function<void()>& work) {
    CudaTimer timer;
    take_times(context, row, [&] {
        timer.start(stream);
        work();
        timer.stop(stream);
        return timer.seconds();
    });
}
#endif

Report run_example(const ExampleRequest& request, const Machine& machine, const ExampleWatch& watch) {
    require_backend(request.backend(), machine);
    ExampleContext context(request, machine, watch);
    request.example->check(context.request());
    const double seconds = seconds_of([&] {
        try {
            request.example->run(context);
        } catch (const Cancelled&) {
            context.report().interrupted = true;
        }
    });
    context.report().wall_seconds = seconds;
    return std::move(context.report());
}

}  // namespace stencil
