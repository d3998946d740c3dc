#include "sim/examples/arrays/maps.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "kernels/cuda/cuda_queue.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/machine/host_memory.h"

namespace stencil {
namespace {

template <class T>
void poison(ExampleContext& context, AlignedBuffer<T>& array) {
    fill_array(context, array.data(), std::int64_t(array.size()), [](std::int64_t) {
        return std::numeric_limits<T>::quiet_NaN();
    });
}

// One number for all bits of an array and their places.
template <class T>
std::uint64_t fingerprint(ExampleContext& context, const AlignedBuffer<T>& array) {
    using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
    std::atomic<std::uint64_t> all = 0;
    on_threads(context, std::int64_t(array.size()), [&](std::int64_t begin, std::int64_t end) {
        std::uint64_t own = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            // The finaliser of MurmurHash3 (public domain), on the bits and the place.
            std::uint64_t h =
                std::uint64_t(std::bit_cast<Bits>(array.data()[i])) ^ (std::uint64_t(i) * 0x9e3779b97f4a7c15);
            h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
            h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
            own += h ^ (h >> 33);
        }
        all += own;
    });
    return all;
}

// ||got - exact|| / ||exact||; NaN where any is NaN.
template <class T>
double relative_error(ExampleContext& context,
                      const AlignedBuffer<T>& got,
                      const AlignedBuffer<Exact<T>>& exact) {
    std::mutex mutex;
    Exact<T> difference = 0, norm = 0;
    on_threads(context, std::int64_t(got.size()), [&](std::int64_t begin, std::int64_t end) {
        Exact<T> own_difference = 0, own_norm = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const Exact<T> right = exact.data()[i], off = Exact<T>(got.data()[i]) - right;
            own_difference += off * off;
            own_norm += right * right;
        }
        const std::lock_guard lock(mutex);
        difference += own_difference;
        norm += own_norm;
    });
    return double(norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference));
}

// The output and the scratch arrays of a way at work on the host.
template <class T>
struct HostArrays {
    HostArrays(const std::vector<AlignedBuffer<T>>& inputs, int further, std::int64_t n) {
        // No way writes to its inputs.
        for (const AlignedBuffer<T>& input : inputs) at.push_back(const_cast<T*>(input.data()));
        for (int i = 0; i < further; ++i) at.push_back(memory.emplace_back(std::size_t(n)).data());
    }
    std::vector<AlignedBuffer<T>> memory;
    std::vector<T*> at;
};

template <class T>
class MapMeasure {
  public:
    MapMeasure(const ExampleRequest& request,
               ExampleContext& context,
               const MapWork<T>& work,
               const MapWay<T>& way)
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
        HostArrays<T> arrays(work_.inputs, 1 + way_.scratch, work_.n);
        AlignedBuffer<T>& output = arrays.memory.front();
        const auto run = [&] { way_.on_cpu(context_, {arrays.at, work_.n}); };
        poison(context_, output);
        run();
        const std::uint64_t once = fingerprint(context_, output);
        time_host(context_, request_.repeats, run).fill(row);
        finish(std::move(row), output, once);
    }

    ReportRow begun(Device device) const {
        return begun_row(context_, work_.name, way_.name, device, dtype_of<T>);
    }

    // The output is that of the last repeat, `once` the fingerprint of another.
    void finish(ReportRow row, const AlignedBuffer<T>& output, std::uint64_t once) {
        const bool same = fingerprint(context_, output) == once;
        row.error = relative_error<T>(context_, output, work_.exact);
        row.failed = !same || !(row.error <= work_.error_bound);
        row.check = same ? "the same bits when repeated" : "other bits when repeated";
        row.more.emplace_back("arrays_moved", way_.arrays_moved);
        // Of the inputs and the output: what no way can do without.
        add_array_row(
            context_, std::move(row), double(work_.inputs.size() + 1) * double(work_.n) * sizeof(T));
    }

#if STENCILSCOPE_HAS_CUDA
    void measure_on_gpu(ReportRow row) {
        context_.copy_gb_per_s(Device::cuda);  // measured once, with memory of its own
        const CudaMemoryMeter meter{std::size_t(context_.gpu_budget())};
        const std::size_t inputs = work_.inputs.size();
        const int count = int(inputs) + 1 + way_.scratch;
        AlignedBuffer<T> output(std::size_t(work_.n));
        std::uint64_t once = 0;
        {
            const DeviceArrays<T> arrays(count, work_.n);
            CudaStream stream;
            const double bytes = double(work_.n) * sizeof(T);
            const auto send = [&](T* to, const AlignedBuffer<T>& from) {
                copy_in_parts(context_, enqueue_to_device, to, from.data(), bytes, stream);
            };
            const auto fetch = [&] {
                copy_in_parts(context_, enqueue_to_host, output.data(), arrays.at[inputs], bytes, stream);
            };
            poison(context_, output);
            send(arrays.at[inputs], output);  // the first copy of a process is slow, and not timed
            row.to_device_seconds = seconds_of([&] {
                for (std::size_t i = 0; i < inputs; ++i) send(arrays.at[i], work_.inputs[i]);
            });
            const auto run = [&] { way_.on_gpu(stream, {arrays.at, work_.n}); };
            run();
            row.to_host_seconds = seconds_of(fetch);
            once = fingerprint(context_, output);
            time_launches(context_, stream, request_.repeats, run, row);
            fetch();
        }
        row.gpu_memory =
            GpuMemoryUse{device_array_bytes(count, work_.n, sizeof(T)), double(meter.peak_bytes())};
        finish(std::move(row), output, once);
    }
#endif

    const ExampleRequest& request_;
    ExampleContext& context_;
    const MapWork<T>& work_;
    const MapWay<T>& way_;
};

// Numbers for the curves: in place before the clock starts.
template <class T>
void fill_input(ExampleContext& context, T* input, std::int64_t n) {
    fill_array(context, input, n, [](std::int64_t i) { return T(i % 1024) / 1024; });
}

template <class T>
std::vector<ReportPoint> cpu_points(const ExampleRequest& request,
                                    ExampleContext& context,
                                    const MapWay<T>& way) {
    const int count = 2 + way.scratch;
    const auto lengths =
        sweep_lengths(request, double(count) * sizeof(T), double(query_host_memory().free_bytes));
    const HostArrays<T> arrays({}, count, lengths.empty() ? 0 : lengths.back());
    std::vector<ReportPoint> points;
    for (const std::int64_t n : lengths) {
        fill_input(context, arrays.at[0], n);
        const Timing timing = time_host(context, sweep_repeats(request), [&] {
            way.on_cpu(context, {arrays.at, n});
        });
        points.push_back({double(n), timing.seconds});
    }
    return points;
}

#if STENCILSCOPE_HAS_CUDA
template <class T>
std::vector<ReportPoint> gpu_points(const ExampleRequest& request,
                                    ExampleContext& context,
                                    const MapWay<T>& way) {
    const double budget = context.gpu_budget();
    const int count = 2 + way.scratch;
    const auto lengths = sweep_lengths(request, double(count) * sizeof(T), budget);
    std::vector<ReportPoint> points;
    if (lengths.empty()) return points;
    const CudaMemoryMeter meter{std::size_t(budget)};
    const DeviceArrays<T> arrays(count, lengths.back());
    AlignedBuffer<T> values{std::size_t(lengths.back())};
    fill_input(context, values.data(), lengths.back());
    CudaStream stream;
    copy_in_parts(
        context, enqueue_to_device, arrays.at[0], values.data(), double(lengths.back()) * sizeof(T), stream);
    for (const std::int64_t n : lengths) {
        ReportRow row;
        const auto run = [&] { way.on_gpu(stream, {arrays.at, n}); };
        time_launches(context, stream, sweep_repeats(request), run, row);
        points.push_back({double(n), row.seconds});
    }
    return points;
}
#endif

}  // namespace

template <class T>
void MapReport<T>::add_rows(const MapWork<T>& work, std::span<const MapWay<T>> ways) const {
    for (const MapWay<T>& way : ways) {
        MapMeasure<T> measure(request, context, work, way);
        if (request.on_cpu()) measure.on_cpu();
        measure.on_gpu();
    }
}

template <class T>
void MapReport<T>::add_sweep(const std::string& id,
                             const std::string& title,
                             std::span<const MapWay<T>> ways) const {
    ReportCurve curve = sweep_curve(id, title, dtype_of<T>);
    for (const MapWay<T>& way : ways) {
        context.begin_part(title + " over lengths, " + way.name);
#if STENCILSCOPE_HAS_CUDA
        if (context.gpu()) {
            const std::string why = context.why_failed([&] {
                curve.series.push_back({"GPU, " + way.name, gpu_points(request, context, way)});
            });
            if (!why.empty())
                context.report().notes.push_back(title + " over lengths, " + way.name + ": " + why);
        }
#endif
        if (request.on_cpu()) curve.series.push_back({"CPU, " + way.name, cpu_points(request, context, way)});
    }
    add_sweep_curve(request, context, std::move(curve), 2 * sizeof(T));
}

template struct MapReport<float>;
template struct MapReport<double>;

}  // namespace stencil
