// Kernels that step the fields of several runs: their launch grids, and what differs between the runs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/field/host_device.h"

namespace stencil {

/// A grid_over() several fields at once, a layer of blocks each.
inline dim3 grid_over(int nx, int ny, int width, int height, int fields) {
    dim3 grid = grid_over(nx, ny, width, height);
    if (fields == 1) return grid;
    if (grid.z > 1) throw CudaError("fields of so many rows cannot go together");
    grid.z = unsigned(fields);
    return grid;
}

/// In a grid for several fields block_row(fields) is this block's row, and block_field() is the number of its
/// field.
__device__ inline int block_row(int fields) {
    return fields > 1 ? int(blockIdx.y) : block_row();
}
__device__ inline int block_field(int fields) {
    return fields > 1 ? int(blockIdx.z) : 0;
}

/// A kernel's argument: `first` for all runs, or `all` in device memory, one for each run.
template <class View>
struct OfRuns {
    View first;
    const View* all = nullptr;

    STENCIL_HOST_DEVICE View of(int run) const { return all ? all[run] : first; }
};

/// Things in device memory that follow from numbers of a run; runs with the same numbers share one.
/// Made::view() is what kernels take of it.
template <class Made, class View>
class MadeOfRuns {
  public:
    /// `first` is for kernels until set() was called.
    explicit MadeOfRuns(View first = {}) : views_{first} {}

    /// Calls make(run) for numbers that no run had before; those that none has any more are destroyed. Waits
    /// for the stream.
    template <class Make>
    void set(const std::vector<std::vector<double>>& numbers, CudaStream& stream, Make&& make) {
        stream.synchronize();  // kernels may still use what is destroyed
        decltype(made_) kept;
        std::vector<View> views;
        for (std::size_t run = 0; run < numbers.size(); ++run) {
            auto found = kept.find(numbers[run]);
            if (found == kept.end()) {
                auto known = made_.extract(numbers[run]);
                found = known ? kept.insert(std::move(known)).position
                              : kept.emplace(numbers[run], make(run)).first;
            }
            views.push_back(found->second.view());
        }
        made_ = std::move(kept);
        views_.first = views.front();
        views_.all = nullptr;
        if (made_.size() == 1) return;
        memory_ = uploaded(views, stream);
        views_.all = static_cast<const View*>(memory_.data());
    }

    OfRuns<View> views() const { return views_; }

  private:
    // By their bits, because numbers may be NaN.
    struct Less {
        bool operator()(const std::vector<double>& a, const std::vector<double>& b) const {
            return std::ranges::lexicographical_compare(a, b, {}, bits, bits);
        }
        static std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }
    };

    std::map<std::vector<double>, Made, Less> made_;
    CudaMemory memory_;
    OfRuns<View> views_;
};

}  // namespace stencil
