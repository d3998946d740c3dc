#include "kernels/examples/matmul/streamed_matmul.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/examples/matmul/scratch_parts.h"

namespace stencil {
namespace {

/// What there is two of: a panel of each factor, and a tile.
template <class T>
struct Buffers {
    T *a, *b, *c;

    Buffers(ScratchParts& parts, const MatmulShape& tile)
        : a(parts.take<T>(tile.m * tile.k)),
          b(parts.take<T>(tile.k * tile.n)),
          c(parts.take<T>(tile.m * tile.n)) {}
};

template <class T>
struct DeviceParts {
    Buffers<T> first, second;
    T* tile_sums;
    double* sums;

    DeviceParts(ScratchParts& parts, const StreamPlan& plan)
        : first(parts, plan.tile),
          second(parts, plan.tile),
          tile_sums(parts.take<T>(plan.tile.n)),
          sums(parts.take<double>(plan.whole.n)) {}
};

template <class T>
struct HostParts {
    Buffers<T> first, second;
    double* sums;

    HostParts(ScratchParts& parts, const StreamPlan& plan)
        : first(parts, plan.tile), second(parts, plan.tile), sums(parts.take<double>(plan.whole.n)) {}
};

template <class T>
__global__ void __launch_bounds__(256) add_sums_kernel(const T* tile, std::int64_t count, double* sums) {
    const std::int64_t i = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < count) sums[i] += double(tile[i]);
}

/// Part of a row-major matrix.
struct Block {
    std::int64_t row, column, rows, columns;
};

struct Tile {
    Block c;
    std::size_t slot;  // of the buffers
};

}  // namespace

template <class T>
struct StreamedMatmul<T>::State {
    StreamPlan plan;
    ThreadPool& threads;
    CudaStream in, compute, out;
    CudaMemory device_memory;
    CudaHostMemory host_memory;
    DeviceParts<T> device;
    HostParts<T> host;
    std::vector<MatmulShape> shapes;
    std::unique_ptr<CudaMatmul<T>> matmul;
    CudaEvent loaded[2], used[2];  // the factors
    CudaEvent ready[2], taken[2];  // the tile

    State(MatmulMethod method, const StreamPlan& p, std::size_t workspace, ThreadPool& pool)
        : plan(p),
          threads(pool),
          device_memory(scratch_bytes<DeviceParts<T>>(p)),
          host_memory(scratch_bytes<HostParts<T>>(p)),
          device(parts_in<DeviceParts<T>>(device_memory.data())),
          host(parts_in<HostParts<T>>(host_memory.data())),
          shapes(p.shapes()),
          matmul(make_cuda_matmul<T>(method, {shapes, workspace}, compute)) {}

    // Copies that are still under way must not outlive their memory.
    ~State() {
        for (CudaStream* stream : {&in, &compute, &out}) cudaStreamSynchronize(cuda_handle(*stream));
    }

    template <class Parts>
    Parts parts_in(void* memory) {
        ScratchParts parts(memory);
        return Parts(parts, plan);
    }

    const Buffers<T>& on_device(std::size_t slot) const { return slot == 0 ? device.first : device.second; }
    const Buffers<T>& on_host(std::size_t slot) const { return slot == 0 ? host.first : host.second; }

    // Rows of `from` (stride in values) one after the other to `to`, or back.
    void copy(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, const Block& block) {
        threads.for_ranges(block.rows, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row)
                std::memcpy(
                    to + row * to_stride, from + row * from_stride, std::size_t(block.columns) * sizeof(T));
        });
    }

    void load(const T* from, std::int64_t stride, const Block& block, T* staged, T* to) {
        copy(staged, block.columns, from + block.row * stride + block.column, stride, block);
        const auto bytes = std::size_t(block.rows * block.columns) * sizeof(T);
        CUDA_CHECK(cudaMemcpyAsync(to, staged, bytes, cudaMemcpyHostToDevice, cuda_handle(in)));
    }

    void load(
        const StreamedCall<T>& call, const Block& c, std::int64_t k, std::int64_t depth, std::size_t slot) {
        loaded[slot].wait();
        used[slot].wait_on(in);
        const Buffers<T>&staged = on_host(slot), &to = on_device(slot);
        load(call.a, plan.whole.k, {c.row, k, c.rows, depth}, staged.a, to.a);
        load(call.b, plan.whole.n, {k, c.column, depth, c.columns}, staged.b, to.b);
        loaded[slot].record(in);
    }

    void multiply(const Tile& tile, std::int64_t k, std::int64_t depth, std::size_t slot) {
        const bool last = k + depth == plan.whole.k;
        loaded[slot].wait_on(compute);
        if (k == 0) taken[tile.slot].wait_on(compute);
        matmul->run({on_device(slot).a,
                     on_device(slot).b,
                     on_device(tile.slot).c,
                     last ? device.tile_sums : nullptr,
                     {tile.c.rows, depth, tile.c.columns},
                     k > 0});
        used[slot].record(compute);
        if (!last) return;
        const auto blocks = unsigned((tile.c.columns + 255) / 256);
        add_sums_kernel<<<blocks, 256, 0, cuda_handle(compute)>>>(
            device.tile_sums, tile.c.columns, device.sums + tile.c.column);
        check_launch("add_sums_kernel");
        ready[tile.slot].record(compute);
    }

    void bring_back(const Tile& tile) {
        ready[tile.slot].wait_on(out);
        const auto bytes = std::size_t(tile.c.rows * tile.c.columns) * sizeof(T);
        CUDA_CHECK(cudaMemcpyAsync(
            on_host(tile.slot).c, on_device(tile.slot).c, bytes, cudaMemcpyDeviceToHost, cuda_handle(out)));
        taken[tile.slot].record(out);
    }

    void unpack(const StreamedCall<T>& call, const Tile& tile) {
        taken[tile.slot].wait();
        T* const to = call.c + tile.c.row * plan.whole.n + tile.c.column;
        copy(to, plan.whole.n, on_host(tile.slot).c, tile.c.columns, tile.c);
    }

    std::vector<Tile> tiles() const {
        std::vector<Tile> list;
        const MatmulShape &whole = plan.whole, &tile = plan.tile;
        for (std::int64_t row = 0; row < whole.m; row += tile.m)
            for (std::int64_t column = 0; column < whole.n; column += tile.n)
                list.push_back(
                    {{row, column, std::min(tile.m, whole.m - row), std::min(tile.n, whole.n - column)},
                     list.size() % 2});
        return list;
    }

    void run(const StreamedCall<T>& call, const std::function<void()>& pause) {
        const auto sums_bytes = std::size_t(plan.whole.n) * sizeof(double);
        CUDA_CHECK(cudaMemsetAsync(device.sums, 0, sums_bytes, cuda_handle(compute)));
        const std::vector<Tile> all = tiles();
        std::size_t slot = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::int64_t k = 0; k < plan.whole.k; k += plan.tile.k) {
                const std::int64_t depth = std::min(plan.tile.k, plan.whole.k - k);
                load(call, all[i].c, k, depth, slot);
                multiply(all[i], k, depth, slot);
                slot ^= 1;
                pause();
            }
            if (i > 0) unpack(call, all[i - 1]);
            bring_back(all[i]);
        }
        unpack(call, all.back());
        CUDA_CHECK(cudaMemcpyAsync(
            host.sums, device.sums, sums_bytes, cudaMemcpyDeviceToHost, cuda_handle(compute)));
        compute.synchronize();
        for (std::int64_t i = 0; i < plan.whole.n; ++i) call.sums[i] = T(host.sums[i]);
    }
};

template <class T>
std::size_t streamed_matmul_bytes(MatmulMethod method, const StreamPlan& plan, std::size_t workspace) {
    const std::vector<MatmulShape> shapes = plan.shapes();
    return scratch_bytes<DeviceParts<T>>(plan) + cuda_matmul_bytes<T>(method, {shapes, workspace});
}

template <class T>
StreamedMatmul<T>::StreamedMatmul(MatmulMethod method,
                                  const StreamPlan& plan,
                                  std::size_t workspace,
                                  ThreadPool& threads)
    : state_(std::make_unique<State>(method, plan, workspace, threads)) {}

template <class T>
StreamedMatmul<T>::~StreamedMatmul() = default;

template <class T>
void StreamedMatmul<T>::run(const StreamedCall<T>& call, const std::function<void()>& pause) {
    state_->run(call, pause);
}

template class StreamedMatmul<float>;
template class StreamedMatmul<double>;
template std::size_t streamed_matmul_bytes<float>(MatmulMethod, const StreamPlan&, std::size_t);
template std::size_t streamed_matmul_bytes<double>(MatmulMethod, const StreamPlan&, std::size_t);

}  // namespace stencil
