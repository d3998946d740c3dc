#include "sim/examples/arrays/sums.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "kernels/cuda/cuda_queue.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/machine/host_memory.h"

namespace stencil {
namespace {

constexpr int kRuns = 5;              // whose bits are compared
constexpr double kResultBytes = 256;  // of GPU memory
// Longer than this a way whose time grows with each term takes seconds and shows nothing new.
constexpr std::int64_t kMaxLessonLength = 10'000'000;

// |got - exact| / |exact|
double relative_error(double got, long double exact) {
    const long double off = std::abs(got - exact);
    return double(exact != 0 ? off / std::abs(exact) : off);
}

// What a way takes on the GPU beside the arrays.
template <class T>
double bytes_beside(const SumWay<T>& way, std::int64_t n) {
    return way.gpu_bytes ? way.gpu_bytes(n) + kResultBytes : 0;
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
        context_.try_row(begun(Device::cpu), [this](ReportRow row) { measure_on_cpu(std::move(row)); });
    }

    void on_gpu() {
        const ReportRow row = begun(Device::cuda);
        if (!context_.gpu()) return context_.add_absent(row, context_.why_no_gpu());
#if STENCILSCOPE_HAS_CUDA
        context_.try_row(row, [this](ReportRow measured) { measure_on_gpu(std::move(measured)); });
#endif
    }

  private:
    void measure_on_cpu(ReportRow row) {
        const auto run = [&] { return way_.on_cpu(context_, work_.terms()); };
        check(row, run);
        time_host(context_, request_.repeats, [&] { kept_ = run(); }).fill(row);
        finish(std::move(row));
    }

    ReportRow begun(Device device) const {
        ReportRow row = begun_row(context_, work_.name, way_.name, device, dtype_of<T>);
        row.not_compared = way_.lesson;
        return row;
    }

    // The result again and again: how far off, and how often with the same bits. Beyond the bound a row whose
    // order is fixed has failed, and another is inexact.
    template <class F>
    void check(ReportRow& row, const F& run) {
        constexpr double kErrorBound = sizeof(T) == 4 ? 5e-6 : 1e-14;
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
        const bool exact_enough = row.error <= kErrorBound;
        row.inexact = !exact_enough && !std::isnan(row.error) && (way_.lesson || !way_.same_bits);
        row.failed = (!exact_enough && !row.inexact) || (way_.same_bits && different.size() > 1);
    }

    void finish(ReportRow row) {
        add_array_row(context_, std::move(row), double(work_.arrays()) * double(work_.n) * sizeof(T));
    }

#if STENCILSCOPE_HAS_CUDA
    void measure_on_gpu(ReportRow row) {
        context_.copy_gb_per_s(Device::cuda);  // measured once, with memory of its own
        const CudaMemoryMeter meter{std::size_t(context_.gpu_budget())};
        time_on_gpu(row);
        row.gpu_memory =
            GpuMemoryUse{device_array_bytes(work_.arrays(), work_.n, sizeof(T)) + bytes_beside(way_, work_.n),
                         double(meter.peak_bytes())};
        finish(std::move(row));
    }

    void time_on_gpu(ReportRow& row) {
        CudaStream stream;
        const GpuSum<T> sum = way_.on_gpu(stream, work_.n);
        const DeviceArrays<T> arrays(work_.arrays(), work_.n);
        const CudaMemory result{std::size_t(kResultBytes)};
        const CudaHostMemory found{sizeof(T)};
        const SumTerms<T> terms{arrays.at[0], work_.y.data() ? arrays.at[1] : nullptr, work_.n};
        const auto send = [&](T* to, const AlignedBuffer<T>& from) {
            copy_in_parts(context_, enqueue_to_device, to, from.data(), double(work_.n) * sizeof(T), stream);
        };
        send(arrays.at[0], work_.x);  // the first copy of a process is slow
        row.to_device_seconds = seconds_of([&] {
            send(arrays.at[0], work_.x);
            if (terms.y) send(arrays.at[1], work_.y);
        });
        auto* const on_device = static_cast<T*>(result.data());
        auto* const on_host = static_cast<T*>(found.data());
        const auto run = [&] {
            if (sum.on_host) return sum.on_host(terms);
            *on_host = std::numeric_limits<T>::quiet_NaN();
            sum.enqueue(terms, on_device);
            enqueue_to_host(on_host, on_device, sizeof(T), stream);
            stream.synchronize();
            return *on_host;
        };
        check(row, run);
        if (work_.result_on_host) time_host(context_, request_.repeats, [&] { kept_ = run(); }).fill(row);
        ReportRow device;
        time_launches(
            context_, stream, request_.repeats, [&] { sum.enqueue(terms, on_device); }, device);
        if (work_.result_on_host) {
            row.more.emplace_back("on_the_device_alone_seconds", device.seconds);
        } else {
            Timing{device.seconds, device.spread, device.repeats}.fill(row);
            row.more.insert(row.more.end(), device.more.begin(), device.more.end());
        }
    }
#endif

    const ExampleRequest& request_;
    ExampleContext& context_;
    const SumWork<T>& work_;
    const SumWay<T>& way_;
    volatile T kept_ = 0;  // a result that is used, so that nothing is left out
};

// Times and errors of sums over lengths.
template <class T>
struct Sweep {
    const ExampleRequest& request;
    ExampleContext& context;
    std::vector<std::int64_t> lengths = {};
    std::vector<long double> exact = {};  ///< of each length
    AlignedBuffer<T> x = {};
    ReportCurve times = {}, errors = {};

    /// The series of one way on one side; `measure` finds the sum of x[0] to x[n - 1] and how long it takes.
    void add(const std::string& name, std::int64_t longest, const auto& measure) {
        ReportSeries time{name, {}}, error{name, {}};
        for (std::size_t i = 0; i < lengths.size() && lengths[i] <= longest; ++i) {
            T found = std::numeric_limits<T>::quiet_NaN();
            time.points.push_back({double(lengths[i]), measure(lengths[i], found)});
            // Errors of exact sums have no place on a logarithmic axis: they stand at half a unit of the last
            // place.
            error.points.push_back({double(lengths[i]),
                                    std::max(relative_error(double(found), exact[i]),
                                             double(std::numeric_limits<T>::epsilon()) / 4)});
        }
        times.series.push_back(std::move(time));
        errors.series.push_back(std::move(error));
    }

    void add_cpu(const SumWay<T>& way) {
        add("CPU, " + way.name, lengths.back(), [&](std::int64_t n, T& found) {
            const auto run = [&] { found = way.on_cpu(context, {x.data(), nullptr, n}); };
            return time_host(context, sweep_repeats(request), run).seconds;
        });
    }

#if STENCILSCOPE_HAS_CUDA
    void add_gpu(std::span<const SumWay<T>> ways) {
        const double budget = context.gpu_budget();
        const CudaMemoryMeter meter{std::size_t(budget)};
        const auto fitting = sweep_lengths(request, sizeof(T), budget);
        if (fitting.empty()) return;
        const std::int64_t longest = std::min(fitting.back(), lengths.back());
        CudaStream stream;
        const DeviceArrays<T> memory(1, longest + 1);  // and the result
        T *const terms = memory.at[0], *const result = terms + longest;
        copy_in_parts(context, enqueue_to_device, terms, x.data(), double(longest) * sizeof(T), stream);
        for (const SumWay<T>& way : ways) {
            if (!way.on_gpu) continue;
            const std::int64_t last = way.lesson ? std::min(longest, kMaxLessonLength) : longest;
            add("GPU, " + way.name, last, [&](std::int64_t n, T& found) {
                const GpuSum<T> sum = way.on_gpu(stream, n);
                ReportRow row;
                const auto run = [&] { sum.enqueue({terms, nullptr, n}, result); };
                time_launches(context, stream, sweep_repeats(request), run, row);
                copy_in_parts(context, enqueue_to_host, &found, result, sizeof(T), stream);
                return row.seconds;
            });
        }
    }
#endif
};

}  // namespace

template <class T>
long double exact_sum(const ExampleContext& context, const SumTerms<T>& terms) {
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
void SumReport<T>::require_memory(int arrays) const {
    const std::int64_t n = request.options.integer("length");
    require_host_memory(double(arrays) * sizeof(T), n);
    if (!context.gpu()) return;
    double beside = 0;  // which only a GPU tells
    for (const SumWay<T>& way : ways) beside = std::max(beside, bytes_beside(way, n));
    require_gpu_memory(context, arrays, n, sizeof(T), beside);
}

template <class T>
void SumReport<T>::add_rows(const SumWork<T>& work) const {
    for (const SumWay<T>& way : ways) {
        SumMeasure<T> measure(request, context, work, way);
        if (!way.on_cpu)
            measure.on_gpu();
        else if (request.on_cpu())
            measure.on_cpu();
    }
}

template <class T>
void SumReport<T>::add_sweep() const {
    context.begin_part("sums over lengths");
    Sweep<T> sweep{request, context};
    sweep.lengths = sweep_lengths(request, sizeof(T), double(query_host_memory().free_bytes));
    if (sweep.lengths.empty()) return;
    sweep.times = sweep_curve("sum", "Sum of an array", dtype_of<T>);
    sweep.errors = sweep_curve("sum_error", "Error of the sum of an array", dtype_of<T>);
    sweep.errors.y_label = "relative error";
    Random random = array_random(request);
    sweep.x = random_array<T>(context, random, sweep.lengths.back());
    for (const std::int64_t n : sweep.lengths)
        sweep.exact.push_back(exact_sum(context, SumTerms<T>{sweep.x.data(), nullptr, n}));
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) {
        const std::string why = context.why_failed([&] { sweep.add_gpu(ways); });
        if (!why.empty()) context.report().notes.push_back("Sums over lengths on the GPU: " + why);
    }
#endif
    for (const SumWay<T>& way : ways)
        if (way.on_cpu && request.on_cpu()) sweep.add_cpu(way);
    add_sweep_curve(request, context, std::move(sweep.times), sizeof(T));
    context.report().curves.push_back(std::move(sweep.errors));
}

template long double exact_sum(const ExampleContext&, const SumTerms<float>&);
template long double exact_sum(const ExampleContext&, const SumTerms<double>&);
template struct SumReport<float>;
template struct SumReport<double>;

}  // namespace stencil
