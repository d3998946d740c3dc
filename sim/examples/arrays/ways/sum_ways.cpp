#include "sim/examples/arrays/ways/sum_ways.h"

namespace stencil {
namespace {

std::string name_of(ReductionStrategy strategy) {
    switch (strategy) {
        case ReductionStrategy::atomic_per_thread:
            return "an atomic addition per thread";
        case ReductionStrategy::atomic_per_warp:
            return "an atomic addition per warp";
        case ReductionStrategy::atomic_per_block:
            return "an atomic addition per block";
        case ReductionStrategy::two_launches:
            return "two launches, fixed order";
        case ReductionStrategy::last_block:
            return "one launch, fixed order";
    }
    return "";
}

#if STENCILSCOPE_HAS_CUDA

template <class T>
class GatheringSum : public GpuSum<T> {
  public:
    GatheringSum(CudaStream& stream, ReductionStrategy strategy) : reduction_(stream), gathering_(strategy) {}

    void enqueue(const SumTerms<T>& terms, T* result) override {
        reduction_.enqueue(gathering_, terms.x, terms.y, terms.n, result);
    }

  private:
    CudaReduction reduction_;
    ReductionStrategy gathering_;
};

template <class T>
class ToHostSum : public GpuSum<T> {
  public:
    ToHostSum(CudaStream& stream, bool as_graph) : reduction_(stream), as_graph_(as_graph) {}

    void enqueue(const SumTerms<T>& terms, T* result) override {
        reduction_.enqueue(ReductionStrategy::last_block, terms.x, terms.y, terms.n, result);
    }

    std::optional<T> on_host(const SumTerms<T>& terms) override {
        if (!as_graph_) {
            reduction_.enqueue_for_host(terms.x, terms.y, terms.n);
            return T(reduction_.wait());
        }
        if (terms.x != recorded_.x || terms.y != recorded_.y || terms.n != recorded_.n) {
            reduction_.record_for_host(terms.x, terms.y, terms.n);
            recorded_ = terms;
        }
        reduction_.enqueue_recorded();
        return T(reduction_.wait());
    }

  private:
    CudaReduction reduction_;
    bool as_graph_;
    SumTerms<T> recorded_;
};

template <class T>
class CubWaySum : public GpuSum<T> {
  public:
    CubWaySum(CudaStream& stream, std::int64_t n) : sum_(stream, n) {}
    void enqueue(const SumTerms<T>& terms, T* result) override { sum_.enqueue(terms.x, terms.n, result); }

  private:
    CubSum<T> sum_;
};

template <class T>
class CublasSum : public GpuSum<T> {
  public:
    explicit CublasSum(CudaStream& stream) : dot_(stream) {}
    void enqueue(const SumTerms<T>& terms, T* result) override {
        dot_.enqueue(terms.x, terms.y, terms.n, result);
    }
    std::optional<T> on_host(const SumTerms<T>& terms) override {
        return dot_.on_host(terms.x, terms.y, terms.n);
    }

  private:
    CublasDot<T> dot_;
};

#endif

}  // namespace

template <class T>
SumWay<T> serial_way() {
    SumWay<T> way;
    way.name = "one term after the other";
    way.lesson = true;
    way.on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
        T sum = 0;
        in_parts(context, terms.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
            sum = serial_sum(sum, terms.x + first, count);
        });
        return sum;
    };
    return way;
}

template <class T>
SumWay<T> blockwise_way() {
    SumWay<T> way;
    way.name = "vectors and threads, in blocks";
    way.on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
        return terms.y ? cpu_dot(context.threads(), terms.x, terms.y, terms.n)
                       : cpu_sum(context.threads(), terms.x, terms.n);
    };
    return way;
}

template <class T>
SumWay<T> blas_way() {
    SumWay<T> way;
    way.name = "OpenBLAS";
    way.same_bits = false;  // its threads cut the array as they come
    way.on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
        return terms.y ? blas_dot(context.thread_count(), terms.x, terms.y, terms.n)
                       : blas_absolute_sum(context.thread_count(), terms.x, terms.n);
    };
    return way;
}

template <class T>
SumWay<T> strategy_way(ReductionStrategy strategy) {
    SumWay<T> way;
    way.name = name_of(strategy);
    way.same_bits = repeats_every_bit(strategy);
    way.lesson = strategy == ReductionStrategy::atomic_per_thread;
    way.for_gpu = true;
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [strategy](CudaStream& stream, std::int64_t) {
        return std::make_unique<GatheringSum<T>>(stream, strategy);
    };
    way.gpu_bytes = [](std::int64_t) { return double(CudaReduction::bytes()); };
#endif
    return way;
}

template <class T>
SumWay<T> to_host_way(bool as_graph) {
    SumWay<T> way;
    way.name = as_graph ? "one launch, result found, as graph" : "one launch, result found";
    way.for_gpu = true;
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [as_graph](CudaStream& stream, std::int64_t) {
        return std::make_unique<ToHostSum<T>>(stream, as_graph);
    };
    way.gpu_bytes = [](std::int64_t) { return double(CudaReduction::bytes()); };
#endif
    return way;
}

template <class T>
SumWay<T> cub_way() {
    SumWay<T> way;
    way.name = "CUB";
    way.for_gpu = true;
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t n) { return std::make_unique<CubWaySum<T>>(stream, n); };
    way.gpu_bytes = [](std::int64_t n) { return double(CubSum<T>::bytes(n)); };
#endif
    return way;
}

template <class T>
SumWay<T> cublas_way() {
    SumWay<T> way;
    way.name = "cuBLAS";
    way.for_gpu = true;
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t) { return std::make_unique<CublasSum<T>>(stream); };
    way.gpu_bytes = [](std::int64_t) { return double(CublasDot<T>::bytes()); };
#endif
    return way;
}

template SumWay<float> serial_way<float>();
template SumWay<double> serial_way<double>();
template SumWay<float> blockwise_way<float>();
template SumWay<double> blockwise_way<double>();
template SumWay<float> blas_way<float>();
template SumWay<double> blas_way<double>();
template SumWay<float> strategy_way<float>(ReductionStrategy);
template SumWay<double> strategy_way<double>(ReductionStrategy);
template SumWay<float> to_host_way<float>(bool);
template SumWay<double> to_host_way<double>(bool);
template SumWay<float> cub_way<float>();
template SumWay<double> cub_way<double>();
template SumWay<float> cublas_way<float>();
template SumWay<double> cublas_way<double>();

}  // namespace stencil
