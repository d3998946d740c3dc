// Steps many runs together.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "sim/run/simulation.h"

namespace stencil {

class GpuBatches;

/// What a batch is stepped by.
struct BatchPlace {
    ThreadPool& threads;  ///< of the host, over which runs are spread
    /// Makes the steps of runs on the CPU that a GPU can make together; null: no GPU. It may serve many
    /// batches, one after the other.
    GpuBatches* gpu = nullptr;
};

/// The threads over which runs on the CPU are spread: all that the machine lends to `asked` (0: all), and no
/// more than there are runs.
int batch_threads(int asked, int processors, std::size_t runs);

class Batch {
  public:
    /// The runs outlive the batch. Those on the CPU have one thread each; a run of another backend, or with
    /// more threads, is stepped as it is, one after the other.
    Batch(std::vector<Simulation*> runs, const BatchPlace& place);

    /// Makes these steps in each run, with the bits of `apply(Advance)` alone: on the GPU those of a run on
    /// that GPU, which differ only where fields are transformed. Returns per run why it could not make them;
    /// empty: it did.
    std::vector<std::string> advance(std::span<const Advance> each);

  private:
    std::vector<std::string> advance_on_gpu(std::span<const Advance> each);

    std::vector<Simulation*> runs_;
    BatchPlace place_;
};

/// Calls work(i) for each i of [0, count) on these threads, the next free one taking the next i. Returns per
/// call what it threw, in a sentence; empty: nothing.
std::vector<std::string> for_each_apart(std::size_t count,
                                        ThreadPool& threads,
                                        const std::function<void(std::size_t)>& work);

}  // namespace stencil
