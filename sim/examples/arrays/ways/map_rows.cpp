#include "sim/examples/arrays/ways/map_rows.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <type_traits>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/timed_launches.h"
#include "sim/examples/report/stopwatch.h"

namespace stencil {
namespace {

template <class T>
constexpr DType kDType = std::is_same_v<T, float> ? DType::float32 : DType::float64;

template <class T>
void poison(ExampleContext& context, T* array, std::int64_t n) {
    on_threads(context, n, [&](std::int64_t begin, std::int64_t end) {
        std::fill(array + begin, array + end, std::numeric_limits<T>::quiet_NaN());
    });
}

// One number for all bits of an array and their places.
template <class T>
std::uint64_t fingerprint(ExampleContext& context, const T* array, std::int64_t n) {
    using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
    std::atomic<std::uint64_t> all = 0;
    on_threads(context, n, [&](std::int64_t begin, std::int64_t end) {
        std::uint64_t own = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            // The finaliser of MurmurHash3 (public domain), on the bits and the place.
            std::uint64_t h =
                std::uint64_t(std::bit_cast<Bits>(array[i])) ^ (std::uint64_t(i) * 0x9e3779b97f4a7c15);
            h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
            h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
            own += h ^ (h >> 33);
        }
        all += own;
    });
    return all;
}

template <class T>
ReportRow row_for(const MapWork<T>& work, const MapWay<T>& way, Device device) {
    ReportRow row;
    row.work = work.name;
    row.name = way.name;
    row.backend = device;
    row.dtype = kDType<T>;
    return row;
}

template <class T>
class MapMeasure {
  public:
    MapMeasure(const ExampleRequest& request, ExampleContext& context, MapWork<T>& work, const MapWay<T>& way)
        : request_(request), context_(context), work_(work), way_(way), output_(std::size_t(work.n)) {}

    void on_cpu() {
        ReportRow row = row_for(work_, way_, Device::cpu);
        context_.begin_part(row.work + ", " + row.name + " on the CPU");
        std::vector<AlignedBuffer<T>> scratch;
        std::vector<T*> arrays;
        for (AlignedBuffer<T>& input : work_.inputs) arrays.push_back(input.data());
        arrays.push_back(output_.data());
        for (int i = 0; i < way_.scratch; ++i)
            arrays.push_back(scratch.emplace_back(std::size_t(work_.n)).data());
        const auto run = [&] { way_.on_cpu(context_, {arrays, work_.n}); };
        poison(context_, output_.data(), work_.n);
        run();
        const std::uint64_t once = fingerprint(context_, output_.data(), work_.n);
        time_host(context_, request_.repeats, run).fill(row);
        finish(row, once);
        context_.add(std::move(row));
    }

#if STENCILSCOPE_HAS_CUDA
    void on_gpu() {
        ReportRow row = row_for(work_, way_, Device::cuda);
        context_.begin_part(row.work + ", " + row.name + " on the GPU");
        context_.copy_gb_per_s(Device::cuda);  // measured once, with memory of its own
        const CudaMemoryMeter meter{std::size_t(context_.gpu_budget())};
        const std::uint64_t once = measure_on_gpu(row);
        row.gpu_memory =
            GpuMemoryUse{device_array_bytes(arrays(), work_.n, sizeof(T)), double(meter.peak_bytes())};
        finish(row, once);
        context_.add(std::move(row));
    }
#endif

  private:
    // The output is that of the last repeat, `once` the fingerprint of another.
    void finish(ReportRow& row, std::uint64_t once) {
        const bool same = fingerprint(context_, output_.data(), work_.n) == once;
        row.error = relative_error<T>(context_, output_.data(), work_.exact.data(), work_.n);
        row.failed = !same || !(row.error <= work_.error_bound);
        row.check = same ? "the same bits twice" : "other bits the second time";
        row.rates.push_back(Rate{work_.least_bytes() / row.seconds / 1e9,
                                 "GB/s",
                                 context_.copy_gb_per_s(row.backend),
                                 "copy, measured"});
        row.more.emplace_back("arrays_moved", way_.arrays_moved);
    }

#if STENCILSCOPE_HAS_CUDA
    int arrays() const {
        return int(work_.inputs.size()) + 1 + way_.scratch;
    }

    std::uint64_t measure_on_gpu(ReportRow& row) {
        const int inputs = int(work_.inputs.size());
        const DeviceArrays<T> memory(this->arrays(), work_.n);
        std::vector<T*> arrays;
        for (int i = 0; i < this->arrays(); ++i) arrays.push_back(memory.at(i));
        CudaStream stream;
        const double bytes = double(work_.n) * sizeof(T);
        T* const output = arrays[std::size_t(inputs)];
        poison(context_, output_.data(), work_.n);
        upload(context_,
               output,
               output_.data(),
               bytes,
               stream);  // the first copy of a process is slow, and not timed
        row.to_device_seconds = seconds_of([&] {
            for (int i = 0; i < inputs; ++i)
                upload(context_, arrays[std::size_t(i)], work_.inputs[std::size_t(i)].data(), bytes, stream);
        });
        const auto run = [&] { way_.on_gpu(stream, {arrays, work_.n}); };
        run();
        row.to_host_seconds = seconds_of([&] { download(context_, output_.data(), output, bytes, stream); });
        const std::uint64_t once = fingerprint(context_, output_.data(), work_.n);
        time_launches(context_, stream, request_.repeats, run, row);
        download(context_, output_.data(), output, bytes, stream);
        return once;
    }

#endif

    static double seconds_of(const std::function<void()>& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    const ExampleRequest& request_;
    ExampleContext& context_;
    MapWork<T>& work_;
    const MapWay<T>& way_;
    AlignedBuffer<T> output_;
};

}  // namespace

template <class T>
void add_map_rows(const ExampleRequest& request,
                  ExampleContext& context,
                  MapWork<T>& work,
                  const MapWay<T>& way) {
    MapMeasure<T> measure(request, context, work, way);
    if (request.on_cpu()) measure.on_cpu();
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) return measure.on_gpu();
#endif
    context.add_absent(row_for(work, way, Device::cuda), context.why_no_gpu());
}

template void add_map_rows<float>(const ExampleRequest&,
                                  ExampleContext&,
                                  MapWork<float>&,
                                  const MapWay<float>&);
template void add_map_rows<double>(const ExampleRequest&,
                                   ExampleContext&,
                                   MapWork<double>&,
                                   const MapWay<double>&);

}  // namespace stencil
