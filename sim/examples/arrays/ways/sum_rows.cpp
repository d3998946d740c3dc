#include "sim/examples/arrays/ways/sum_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/timed_launches.h"
#include "sim/examples/report/stopwatch.h"

namespace stencil {
namespace {

constexpr int kRuns = 5;              // whose bits are compared
constexpr double kResultBytes = 256;  // of GPU memory

// What a way takes on the GPU beside the arrays.
template <class T>
double bytes_beside(const SumWay<T>& way, std::int64_t n) {
    return way.gpu_bytes ? way.gpu_bytes(n) + kResultBytes : 0;
}

template <class T>
ReportRow row_for(const SumWork<T>& work, const SumWay<T>& way, Device device) {
    ReportRow row;
    row.work = work.name;
    row.name = way.name;
    row.backend = device;
    row.dtype = std::is_same_v<T, float> ? DType::float32 : DType::float64;
    row.not_compared = way.lesson;
    return row;
}

template <class T>
class SumMeasure {
  public:
    SumMeasure(const ExampleRequest& request,
               ExampleContext& context,
               const SumWork<T>& work,
               const SumWay<T>& way)
        : request_(request), context_(context), work_(work), way_(way) {}

    void on_cpu() {
        ReportRow row = row_for(work_, way_, Device::cpu);
        context_.begin_part(row.work + ", " + row.name + " on the CPU");
        const auto run = [&] { return way_.on_cpu(context_, work_.terms()); };
        check(row, run);
        time_host(context_, request_.repeats, [&] { keep(run()); }).fill(row);
        finish(row);
    }

#if STENCILSCOPE_HAS_CUDA
    void on_gpu() {
        ReportRow row = row_for(work_, way_, Device::cuda);
        context_.begin_part(row.work + ", " + row.name + " on the GPU");
        context_.copy_gb_per_s(Device::cuda);  // measured once, with memory of its own
        const CudaMemoryMeter meter{std::size_t(context_.gpu_budget())};
        measure_on_gpu(row);
        row.gpu_memory =
            GpuMemoryUse{device_array_bytes(work_.arrays(), work_.n, sizeof(T)) + bytes_beside(way_, work_.n),
                         double(meter.peak_bytes())};
        finish(row);
    }
#endif

  private:
    // A result that is used, so that nothing is left out.
    void keep(T result) {
        kept_ = result;
    }

    // The result again and again: how far off, and how often with the same bits.
    template <class F>
    void check(ReportRow& row, const F& run) {
        std::set<T> different;
        for (int i = 0; i < kRuns; ++i) {
            context_.pause();
            const T result = run();
            row.error = std::max(i == 0 ? 0 : row.error, relative_error(double(result), work_.exact));
            if (std::isnan(result)) row.error = kNotMeasured;
            different.insert(result);
        }
        row.check = different.size() == 1
                        ? fmt::format("the same bits in {} runs", kRuns)
                        : fmt::format("{} different results in {} runs", different.size(), kRuns);
        const bool exact_enough = row.error <= work_.error_bound;
        row.inexact = !exact_enough && !std::isnan(row.error) && (way_.lesson || !way_.same_bits);
        row.failed = (!exact_enough && !row.inexact) || (way_.same_bits && different.size() > 1);
    }

    void finish(ReportRow& row) {
        row.rates.push_back(Rate{double(work_.arrays()) * double(work_.n) * sizeof(T) / row.seconds / 1e9,
                                 "GB/s",
                                 context_.copy_gb_per_s(row.backend),
                                 "copy, measured"});
        context_.add(std::move(row));
    }

#if STENCILSCOPE_HAS_CUDA
    void measure_on_gpu(ReportRow& row) {
        CudaStream stream;
        const DeviceArrays<T> memory(work_.arrays(), work_.n);
        const CudaMemory result{std::size_t(kResultBytes)};
        const CudaHostMemory found{sizeof(T)};
        const double bytes = double(work_.n) * sizeof(T);
        SumTerms<T> terms{memory.at(0), work_.y.data() ? memory.at(1) : nullptr, work_.n};
        upload(context_, memory.at(0), work_.x.data(), bytes, stream);  // the first copy of a process is slow
        const auto start = std::chrono::steady_clock::now();
        upload(context_, memory.at(0), work_.x.data(), bytes, stream);
        if (terms.y) upload(context_, memory.at(1), work_.y.data(), bytes, stream);
        row.to_device_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto sum = way_.on_gpu(stream, work_.n);
        auto* const on_device = static_cast<T*>(result.data());
        auto* const on_host = static_cast<T*>(found.data());
        const auto run = [&] {
            if (const std::optional<T> found_there = sum->on_host(terms)) return *found_there;
            *on_host = std::numeric_limits<T>::quiet_NaN();
            sum->enqueue(terms, on_device);
            enqueue_to_host(on_host, on_device, sizeof(T), stream);
            stream.synchronize();
            return *on_host;
        };
        check(row, run);
        if (work_.result_on_host) time_host(context_, request_.repeats, [&] { keep(run()); }).fill(row);
        ReportRow device;
        time_launches(
            context_, stream, request_.repeats, [&] { sum->enqueue(terms, on_device); }, device);
        if (work_.result_on_host) {
            row.more.emplace_back("on_the_device_alone_seconds", device.seconds);
        } else {
            row.seconds = device.seconds;
            row.spread = device.spread;
            row.repeats = device.repeats;
            row.more.insert(row.more.end(), device.more.begin(), device.more.end());
        }
    }

#endif

    const ExampleRequest& request_;
    ExampleContext& context_;
    const SumWork<T>& work_;
    const SumWay<T>& way_;
    volatile T kept_ = 0;
};

}  // namespace

template <class T>
long double exact_sum(ExampleContext& context, const SumTerms<T>& terms) {
    long double sum = 0;
    in_parts(context, terms.n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        long double part = 0;
        for (std::int64_t i = first; i < first + count; ++i)
            part += terms.y ? (long double)(terms.x[i]) * terms.y[i] : (long double)(terms.x[i]);
        sum += part;
    });
    return sum;
}

template <class T>
void require_memory(const ExampleContext& context,
                    std::span<const SumWay<T>> ways,
                    int arrays,
                    std::int64_t n) {
    require_host_memory(double(arrays) * sizeof(T), n);
    if (!context.gpu()) return;
    double beside = 0;
    for (const SumWay<T>& way : ways) beside = std::max(beside, bytes_beside(way, n));
    require_gpu_memory(context, arrays, n, sizeof(T), beside);
}

template <class T>
void add_sum_rows(const ExampleRequest& request,
                  ExampleContext& context,
                  const SumWork<T>& work,
                  const SumWay<T>& way) {
    SumMeasure<T> measure(request, context, work, way);
    if (way.on_cpu && request.on_cpu()) measure.on_cpu();
    if (!way.for_gpu) return;
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) return measure.on_gpu();
#endif
    context.add_absent(row_for(work, way, Device::cuda), context.why_no_gpu());
}

template long double exact_sum<float>(ExampleContext&, const SumTerms<float>&);
template long double exact_sum<double>(ExampleContext&, const SumTerms<double>&);
template void require_memory<float>(const ExampleContext&, std::span<const SumWay<float>>, int, std::int64_t);
template void require_memory<double>(const ExampleContext&,
                                     std::span<const SumWay<double>>,
                                     int,
                                     std::int64_t);
template void add_sum_rows<float>(const ExampleRequest&,
                                  ExampleContext&,
                                  const SumWork<float>&,
                                  const SumWay<float>&);
template void add_sum_rows<double>(const ExampleRequest&,
                                   ExampleContext&,
                                   const SumWork<double>&,
                                   const SumWay<double>&);

}  // namespace stencil
