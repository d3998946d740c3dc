#include "kernels/examples/matmul/out_of_core.h"

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/device_arena.h"
#include "kernels/cuda/staged_copies.h"

namespace stencil::matmul {
namespace {

/// There are two of each: a panel of either factor, and a tile of the product.
template <class T>
struct Buffers {
    T *a, *b, *c;

    Buffers(DeviceArena& parts, const MatmulShape& tile)
        : a(parts.take<T>(tile.m * tile.k)),
          b(parts.take<T>(tile.k * tile.n)),
          c(parts.take<T>(tile.m * tile.n)) {}
};

template <class T>
struct DeviceParts {
    Buffers<T> buffers[2];
    T* tile_sums;
    double* sums;

    DeviceParts(DeviceArena& parts, const OutOfCorePlan& plan)
        : buffers{{parts, plan.tile}, {parts, plan.tile}},
          tile_sums(parts.take<T>(plan.tile.n)),
          sums(parts.take<double>(plan.whole.n)) {}
};

template <class T>
__global__ void __launch_bounds__(256) add_sums_kernel(const T* tile, std::int64_t count, double* sums) {
    const std::int64_t i = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < count) sums[i] += double(tile[i]);
}

struct Tile {
    std::int64_t row, column, rows, columns;
};

// The tile of a matrix with so many columns.
template <class T>
HostBlock<T> block(T* matrix, std::int64_t columns, const Tile& at) {
    return {matrix + at.row * columns + at.column, columns, at.rows, at.columns};
}

template <class T>
struct TileByTile {
    OutOfCorePlan plan;
    CudaStream in, compute, out;
    CudaMemory memory;
    DeviceParts<T> device;
    std::unique_ptr<CudaMatmul<T>> matmul;
    BufferTurns panels[2];
    CudaEvent tile_done;
    StagedCopies to_device, to_host;

    TileByTile(MatmulMethod method, const OutOfCorePlan& p, std::size_t workspace, ThreadPool& threads)
        : plan(p),
          memory(arena_bytes<DeviceParts<T>>(p)),
          device(in_arena<DeviceParts<T>>(memory, p)),
          matmul(make_cuda_matmul<T>(method, {p.shapes(), workspace}, compute)),
          to_device(threads),
          to_host(threads) {}

    void multiply(const MatmulCall<T>& call, const Tile& tile, T* c, std::int64_t k, std::size_t slot) {
        const std::int64_t depth = std::min(plan.tile.k, plan.whole.k - k);
        const bool last = k + depth == plan.whole.k;
        const Buffers<T>& to = device.buffers[slot];
        panels[slot].fill(in, compute, [&] {
            to_device.send(block(call.a, plan.whole.k, {tile.row, k, tile.rows, depth}), to.a, in);
            to_device.send(block(call.b, plan.whole.n, {k, tile.column, depth, tile.columns}), to.b, in);
        });
        matmul->run(
            {to.a, to.b, c, last ? device.tile_sums : nullptr, {tile.rows, depth, tile.columns}, k > 0});
        panels[slot].release(compute);
        if (!last) return;
        const auto blocks = unsigned((tile.columns + 255) / 256);
        add_sums_kernel<<<blocks, 256, 0, cuda_handle(compute)>>>(
            device.tile_sums, tile.columns, device.sums + tile.column);
        check_launch("add_sums_kernel");
    }

    std::vector<Tile> tiles() const {
        std::vector<Tile> list;
        const MatmulShape &whole = plan.whole, &tile = plan.tile;
        for (std::int64_t row = 0; row < whole.m; row += tile.m)
            for (std::int64_t column = 0; column < whole.n; column += tile.n)
                list.push_back(
                    {row, column, std::min(tile.m, whole.m - row), std::min(tile.n, whole.n - column)});
        return list;
    }

    void run(const MatmulCall<T>& call, const std::function<void()>& pause) {
        const auto sums_bytes = std::size_t(plan.whole.n) * sizeof(double);
        CUDA_CHECK(cudaMemsetAsync(device.sums, 0, sums_bytes, cuda_handle(compute)));
        const std::vector<Tile> all = tiles();
        std::function<void()> finish_tile = [] {};  // the one before, while this one is worked out
        std::size_t slot = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            T* const c = device.buffers[i % 2].c;
            for (std::int64_t k = 0; k < plan.whole.k; k += plan.tile.k) {
                multiply(call, all[i], c, k, slot);
                slot ^= 1;
                pause();
            }
            tile_done.record(compute);
            finish_tile();
            tile_done.wait_on(out);
            finish_tile = to_host.receive(block(call.c, plan.whole.n, all[i]), c, out);
        }
        finish_tile();
        std::vector<double> sums(std::size_t(plan.whole.n));
        copy_to_host({sums.data(), sums_bytes, device.sums, sums_bytes, sums_bytes, 1}, compute);
        std::ranges::transform(sums, call.sums, [](double sum) { return T(sum); });
    }
};

}  // namespace

template <class T>
std::size_t out_of_core_bytes(MatmulMethod method, const OutOfCorePlan& plan, std::size_t workspace) {
    return arena_bytes<DeviceParts<T>>(plan) + cuda_matmul_bytes<T>(method, {plan.shapes(), workspace});
}

template <class T>
OutOfCoreMatmul<T> make_out_of_core_matmul(MatmulMethod method,
                                           const OutOfCorePlan& plan,
                                           std::size_t workspace,
                                           ThreadPool& threads) {
    const auto tiles = std::make_shared<TileByTile<T>>(method, plan, workspace, threads);
    return [=](const MatmulCall<T>& call, const std::function<void()>& pause) { tiles->run(call, pause); };
}

template OutOfCoreMatmul<float> make_out_of_core_matmul(MatmulMethod,
                                                        const OutOfCorePlan&,
                                                        std::size_t,
                                                        ThreadPool&);
template OutOfCoreMatmul<double> make_out_of_core_matmul(MatmulMethod,
                                                         const OutOfCorePlan&,
                                                         std::size_t,
                                                         ThreadPool&);
template std::size_t out_of_core_bytes<float>(MatmulMethod, const OutOfCorePlan&, std::size_t);
template std::size_t out_of_core_bytes<double>(MatmulMethod, const OutOfCorePlan&, std::size_t);

}  // namespace stencil::matmul
