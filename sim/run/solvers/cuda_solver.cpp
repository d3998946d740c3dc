#include <stdexcept>
#include <utility>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/cuda_field.h"
#include "kernels/view/cuda_view.h"
#include "kernels/view/quantity_at.h"
#include "sim/run/solvers/solver.h"

namespace stencil {
namespace {

template <class T>
struct CudaState : SavedState {
    explicit CudaState(std::size_t bytes) : cells(bytes), bytes_(bytes) {}
    std::size_t bytes() const override { return bytes_; }

    CudaMemory cells;
    InnerNumbers numbers;
    long long step = 0;

  private:
    std::size_t bytes_;
};

/// What CUDA solvers of either precision tell each other.
class CudaNeighbour : public Solver {
  public:
    using Solver::Solver;
    /// Waits until it is done.
    virtual void copy_field(FieldView<double> out) = 0;
};

template <class T>
class CudaSolver : public CudaNeighbour {
  public:
    explicit CudaSolver(const SolverSetup& setup)
        : CudaNeighbour(setup),
          front_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          back_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          stepper_(make_stepper<T>(*setup.method, {nullptr, &stream_}, {setup.nx, setup.ny})) {
        fields_.front = cuda_view<T>(front_, setup.nx, setup.ny);
        fields_.back = cuda_view<T>(back_, setup.nx, setup.ny);
    }

    void load_fields(std::span<const Field> starts) override {
        const Field& start = starts.front();
        const Field rounded = start.dtype() == dtype_of<T> ? Field() : start.to(dtype_of<T>);
        const Array<T>& cells = (rounded.size() > 0 ? rounded : start).template as<T>();
        upload(cells.view(), fields_.front);
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        stream_.synchronize();
    }

    void set_params(const StepParameters& params) override {
        if (params.boundary != setup_.params.boundary) stepper_->prepare(fields_, params.boundary);
        setup_.params = params;
    }

    void advance_by(long long steps) override {
        // Only the newest batch is timed by events, so an older one is settled first.
        seconds_ += settle();
        cuda_nudge(stream_);
        timer_.start(stream_);
        stepper_->advance(fields_, setup_.params, steps);
        timer_.stop(stream_);
        timing_ = true;
    }

    double wait() override {
        seconds_ += settle();
        stream_.synchronize();
        return std::exchange(seconds_, 0.0);
    }

    Field field() override { return read_back(Quantity::value); }

    Field laplacian() override { return read_back(Quantity::laplacian); }

    void set_base(const Field& base) override {
        make_base();
        if (base.dtype() == DType::float64)
            upload(base.as<double>().view(), base_view());
        else {
            // Through the scratch field, whose rows are long enough.
            const FieldView<float> scratch{static_cast<float*>(static_cast<void*>(fields_.back.data)),
                                           setup_.nx,
                                           setup_.ny,
                                           fields_.back.pitch * int(sizeof(T) / sizeof(float))};
            upload(base.as<float>().view(), scratch);
            const PlainView<float> field(scratch);
            cuda_read<float, double>({{field, {}, {}}, Quantity::value, stream_, scratch_}, base_view());
        }
        stream_.synchronize();
    }

    void set_base(Solver& other) override {
        make_base();
        dynamic_cast<CudaNeighbour&>(other).copy_field(base_view());
    }

    void copy_field(FieldView<double> out) override {
        cuda_read(view_of(Quantity::value), out);
        stream_.synchronize();
    }

    void resample(Quantity quantity, const ResampleRequest& request, bool to_host, Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        make_room(out, size * sizeof(float));
        out.width = request.width;
        out.height = request.height;
        out.on_device = !to_host;
        cuda_resample(view_of(quantity), request, static_cast<float*>(out.device.data()));
        if (to_host) {
            if (out.host.size() < size) out.host.resize(size);
            const std::size_t row = std::size_t(request.width) * sizeof(float);
            copy_to_host({out.host.data(), row, out.device.data(), row, row, std::size_t(request.height)},
                         stream_);
        } else {
            stream_.synchronize();
        }
    }

    Statistics statistics(Quantity quantity) override { return cuda_statistics(view_of(quantity)); }

    double norm(Quantity quantity) override { return cuda_norm(view_of(quantity)); }

    std::vector<double> percentiles(Quantity quantity, std::span<const double> q) override {
        return cuda_percentiles(view_of(quantity), q);
    }

    std::vector<std::uint64_t> histogram(Quantity quantity, double low, double high, int bins) override {
        return cuda_histogram(view_of(quantity), {low, high, bins});
    }

    std::vector<double> sample(Quantity quantity, std::span<const SamplePoint> points, bool smooth) override {
        return cuda_sample(view_of(quantity), points, smooth);
    }

    void paint_piece(const BrushPiece& piece, std::size_t) override {
        cuda_paint(stepper_->plain(fields_.front), piece, stream_);
    }

    double largest_value(const StepParameters& params) const override {
        return stepper_->largest_value(params);
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<CudaState<T>>(field_bytes());
        copy_cells(saved->cells.data(), fields_.front.data);
        stream_.synchronize();
        saved->numbers = stepper_->numbers();
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const CudaState<T>&>(state);
        copy_cells(fields_.front.data, saved.cells.data());
        stream_.synchronize();
        stepper_->resume(saved.numbers);
        step_ = saved.step;
        forget_largest();
    }

    InnerState inner() override {
        InnerState state;
        state.arrays.emplace("stored", download(fields_.front));
        state.numbers = stepper_->numbers();
        return state;
    }

    bool take_inner(const InnerState& inner) override {
        const Array<T>* cells = stored_array<T>(inner, setup_.nx, setup_.ny);
        if (!cells || !stepper_->resume(inner.numbers)) return false;
        upload(cells->view(), fields_.front);
        return true;
    }

  private:
    // Between two arrays laid out as fields; the padding of their rows holds nothing.
    void copy_cells(void* to, const void* from) {
        const std::size_t pitch = std::size_t(fields_.front.pitch) * sizeof(T);
        copy_on_device({to, pitch, from, pitch, std::size_t(setup_.nx) * sizeof(T), std::size_t(setup_.ny)},
                       stream_);
    }

    double settle() {
        if (!timing_) return 0;
        timing_ = false;
        return timer_.seconds();
    }

    std::size_t field_bytes() const { return cuda_field_bytes<T>(setup_.nx, setup_.ny); }

    template <class U>
    void upload(FieldView<const U> from, FieldView<U> to) {
        copy_to_device({to.data,
                        std::size_t(to.pitch) * sizeof(U),
                        from.data,
                        std::size_t(from.pitch) * sizeof(U),
                        std::size_t(setup_.nx) * sizeof(U),
                        std::size_t(setup_.ny)},
                       stream_);
    }

    void make_base() {
        if (!base_.data()) base_ = CudaMemory(cuda_field_bytes<double>(setup_.nx, setup_.ny));
    }

    FieldView<double> base_view() const {
        return base_.data() ? cuda_view<double>(base_, setup_.nx, setup_.ny) : FieldView<double>();
    }

    static void make_room(Pixels& pixels, std::size_t bytes) {
        if (pixels.device_bytes >= bytes) return;
        pixels.device_bytes = 0;
        pixels.device = CudaMemory();
        pixels.device = CudaMemory(bytes);
        pixels.device_bytes = bytes;
    }

    CudaView<T> view_of(Quantity quantity) {
        if (needs_base(quantity) && !base_.data()) throw std::logic_error("a solver without a base field");
        return {{stepper_->plain(fields_.front), setup_.params.boundary, base_view()},
                quantity,
                stream_,
                scratch_};
    }

    // Through the scratch field.
    Field read_back(Quantity quantity) {
        cuda_read(view_of(quantity), fields_.back);
        return download(fields_.back);
    }

    Array<T> download(FieldView<const T> from) {
        Array<T> result(setup_.nx, setup_.ny);
        const std::size_t row = std::size_t(setup_.nx) * sizeof(T);
        const std::size_t pitch = std::size_t(from.pitch) * sizeof(T);
        copy_to_host({result.data(), row, from.data, pitch, row, std::size_t(setup_.ny)}, stream_);
        return result;
    }

    CudaStream stream_;
    CudaTimer timer_;
    CudaMemory front_;
    CudaMemory back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    CudaMemory base_;  ///< nothing until it is needed
    CudaScratch scratch_;
    double seconds_ = 0;
    bool timing_ = false;
};

}  // namespace

std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64) return std::make_unique<CudaSolver<double>>(setup);
    return std::make_unique<CudaSolver<float>>(setup);
}

}  // namespace stencil
