// A solver that steps with a user's kernel.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "sim/solvers/cuda_device.h"
#include "sim/user_kernel/cuda_step_launcher.h"

namespace stencil {

template <class T>
class KernelSolver : public DeviceSolver<CudaDevicePart<T>> {
    using Common = DeviceSolver<CudaDevicePart<T>>;

  public:
    explicit KernelSolver(const SolverSetup& setup)
        : Common(setup),
          kernel_(*setup.kernel),
          loaded_(kernel_, setup.nx, setup.ny, cuda_pitch<T>(setup.nx), stream_) {
        for (auto& side : buffers_)
            for (std::size_t c = 0; c < components(); ++c) side.emplace_back(setup.nx, setup.ny);
    }

    ~KernelSolver() override { finish(stream_); }

    // Called before every batch, mostly with unchanged parameters.
    void set_params(const StepParameters& params) override {
        const StepParameters& old = setup_.params;
        const bool same =
            params.coefficient == old.coefficient && params.values == old.values && params.dt == old.dt;
        if (!same) {
            stream_.synchronize();  // a running graph must not be destroyed
            graphs_ = {};
        }
        if (params.boundary != old.boundary) this->boundary_changed();
        if (params.dt != old.dt) clock_ = {step_, this->time()};
        setup_.params = params;
        if (!same) changed();
    }

    void advance_by(long long steps) override {
        using user_kernel::kLaunchesTogether;
        this->start_timing();
        const int each = kernel_.shape.steps;
        for (long long done = 0; done < steps;) {
            const bool together = !kernel_.entry.of_time && steps - done >= kLaunchesTogether * each;
            const int n = int(std::min<long long>(each, steps - done));
            if (together)
                graph().launch(stream_);
            else
                enqueue(n, clock_.time + double(step_ - clock_.step + done) * setup_.params.dt);
            done += together ? kLaunchesTogether * each : n;
        }
        this->stop_timing();
        changed();
    }

  private:
    using Common::changed;
    using Common::clock_;
    using Common::components;
    using Common::setup_;
    using Common::step_;
    using Common::stream_;

    FieldView<T> component(std::size_t c) override { return buffers_[front_][c].view(); }
    FieldView<T> spare() override { return buffers_[1 - front_].front().view(); }
    void loaded() override {
        clock_ = {step_, double(step_) * setup_.params.dt};
        changed();
    }

    void enqueue(int steps, double t) {
        std::vector<const T*> from;
        std::vector<T*> to;
        for (std::size_t c = 0; c < components(); ++c) {
            from.push_back(buffers_[front_][c].view().data);
            to.push_back(buffers_[1 - front_][c].view().data);
        }
        loaded_.launch(from, to, setup_.params, steps, t);
        front_ = 1 - front_;
    }

    CudaGraph& graph() {
        auto& made = graphs_[front_];
        if (!made)
            made = std::make_unique<CudaGraph>(stream_, [this] {
                for (int i = 0; i < user_kernel::kLaunchesTogether; ++i) enqueue(kernel_.shape.steps, 0);
            });
        return *made;
    }

    const user_kernel::UserKernel& kernel_;
    user_kernel::LoadedStep<T> loaded_;
    std::array<std::vector<CudaArray<T>>, 2> buffers_;  ///< indexed by component
    std::size_t front_ = 0;                             ///< index of the buffers that hold the state
    std::array<std::unique_ptr<CudaGraph>, 2> graphs_;  ///< keyed by the buffers that they start with
};

}  // namespace stencil
