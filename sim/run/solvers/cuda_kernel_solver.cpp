// A solver that steps with a user's kernel.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "kernels/cuda/cuda_queue.h"
#include "sim/run/solvers/cuda_device.h"
#include "sim/run/solvers/formula_views.h"
#include "sim/user_kernel/cuda_launcher.h"

namespace stencil {
namespace {

using user_kernel::kLaunchesTogether;
using user_kernel::UserKernel;

template <class T>
struct KernelState : SavedState {
    std::size_t bytes() const override { return each * cells.size(); }

    std::vector<CudaMemory> cells;  ///< by component
    std::size_t each = 0;
    long long step = 0;
};

template <class T>
class KernelSolver : public FormulaViews<CudaDevicePart<T>> {
    using Views = FormulaViews<CudaDevicePart<T>>;

  public:
    explicit KernelSolver(const SolverSetup& setup)
        : Views(setup),
          kernel_(*setup.kernel),
          loaded_(kernel_, setup.nx, setup.ny, cuda_pitch<T>(setup.nx), stream_) {
        for (auto& side : buffers_)
            for (std::size_t c = 0; c < components(); ++c) side.emplace_back(field_bytes());
    }

    ~KernelSolver() override { finish(stream_); }

    void load_fields(const RowSource& start) override {
        std::vector<FieldView<T>> all;
        for (std::size_t c = 0; c < components(); ++c) all.push_back(component(c));
        this->fill(all, start, 0);
        changed();
        stream_.synchronize();
    }

    std::vector<Field> fields() override {
        std::vector<Field> all;
        for (std::size_t c = 0; c < components(); ++c)
            all.emplace_back(this->download(FieldView<const T>(component(c))));
        return all;
    }

    // Called before every batch, mostly with unchanged parameters.
    void set_params(const StepParameters& params) override {
        const StepParameters& old = setup_.params;
        if (params.coefficient == old.coefficient && params.values == old.values && params.dt == old.dt) {
            if (params.boundary != setup_.params.boundary) this->boundary_changed();
            setup_.params = params;
            return;
        }
        stream_.synchronize();  // graphs must not be destroyed while they run
        graphs_ = {};
        if (params.boundary != old.boundary) this->boundary_changed();
        setup_.params = params;
        changed();
    }

    void advance_by(long long steps) override {
        this->start_timing();
        const int each = kernel_.shape.steps;
        for (long long done = 0; done < steps;) {
            const bool together = !kernel_.entry.of_time && steps - done >= kLaunchesTogether * each;
            const int n = int(std::min<long long>(each, steps - done));
            if (together)
                graph().launch(stream_);
            else
                enqueue(n, double(step_ + done) * setup_.params.dt);
            done += together ? kLaunchesTogether * each : n;
        }
        this->stop_timing();
        changed();
    }

    void paint_piece(const BrushPiece& piece, std::size_t c) override {
        cuda_paint(PlainView<T>(component(c)), piece, stream_);
        changed();
    }

    double largest_value(const StepParameters&) const override {
        return std::numeric_limits<double>::infinity();
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<KernelState<T>>();
        saved->each = field_bytes();
        saved->step = step_;
        for (std::size_t c = 0; c < components(); ++c) {
            saved->cells.emplace_back(field_bytes());
            copy_cells(saved->cells.back().data(), component(c).data);
        }
        stream_.synchronize();
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const KernelState<T>&>(state);
        for (std::size_t c = 0; c < components(); ++c) copy_cells(component(c).data, saved.cells[c].data());
        stream_.synchronize();
        step_ = saved.step;
        changed();
        this->forget_largest();
    }

    // There is no state besides the plain fields.
    InnerState inner(bool) override { return {}; }
    bool take_inner(const InnerRows&) override { return true; }

  private:
    using Views::changed;
    using Views::setup_;
    using Views::step_;
    using Views::stream_;

    std::size_t components() const { return kernel_.entry.components.size(); }
    std::size_t field_bytes() const { return cuda_field_bytes<T>(setup_.nx, setup_.ny); }
    FieldView<T> component(std::size_t c) const {
        return cuda_view<T>(buffers_[front_][c], setup_.nx, setup_.ny);
    }

    void copy_cells(void* to, const void* from) {
        const std::size_t pitch = std::size_t(cuda_pitch<T>(setup_.nx)) * sizeof(T);
        copy_on_device({to, pitch, from, pitch, std::size_t(setup_.nx) * sizeof(T), std::size_t(setup_.ny)},
                       stream_);
    }

    void enqueue(int steps, double t) {
        std::vector<const T*> from;
        std::vector<T*> to;
        for (std::size_t c = 0; c < components(); ++c) {
            from.push_back(static_cast<const T*>(buffers_[front_][c].data()));
            to.push_back(static_cast<T*>(buffers_[1 - front_][c].data()));
        }
        loaded_.launch(from, to, setup_.params, steps, t);
        front_ = 1 - front_;
    }

    CudaGraph& graph() {
        auto& made = graphs_[front_];
        if (!made)
            made = std::make_unique<CudaGraph>(stream_, [this] {
                for (int i = 0; i < kLaunchesTogether; ++i) enqueue(kernel_.shape.steps, 0);
            });
        return *made;
    }

    PlainView<const T> plain(std::size_t c) override {
        return PlainView<const T>(FieldView<const T>(component(c)));
    }
    void copy_component(std::size_t c, FieldView<T> to) override { this->copy_array(component(c), to); }
    equation::Clock clock() const override { return {step_, double(step_) * setup_.params.dt}; }
    FieldView<T> spare() override { return cuda_view<T>(buffers_[1 - front_].front(), setup_.nx, setup_.ny); }

    const UserKernel& kernel_;
    user_kernel::LoadedStep<T> loaded_;
    std::array<std::vector<CudaMemory>, 2> buffers_;    ///< by component
    std::size_t front_ = 0;                             ///< index of the buffers that hold the state
    std::array<std::unique_ptr<CudaGraph>, 2> graphs_;  ///< by the buffers that they start from
};

}  // namespace

std::unique_ptr<Solver> make_cuda_kernel_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64) return std::make_unique<KernelSolver<double>>(setup);
    return std::make_unique<KernelSolver<float>>(setup);
}

}  // namespace stencil
