#include <array>

#include "sim/run/solvers/cuda_view_solver.h"

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

template <class T>
class CudaSolver : public CudaViewSolver<T> {
  public:
    explicit CudaSolver(const SolverSetup& setup)
        : CudaViewSolver<T>(setup),
          front_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          back_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          stepper_(make_stepper<T>(*setup.method, {nullptr, &stream_, setup.strips}, setup.stepped_shape())) {
        fields_.front = cuda_view<T>(front_, setup.nx, setup.ny);
        fields_.back = cuda_view<T>(back_, setup.nx, setup.ny);
    }

    void load_fields(const RowSource& start) override {
        this->fill({fields_.front}, start, 0);
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        halo_.spoil();
        stream_.synchronize();
    }

    void set_params(const StepParameters& params) override {
        if (params.boundary != setup_.params.boundary) stepper_->prepare(fields_, params.boundary);
        setup_.params = params;
    }

    void advance_by(long long steps) override {
        this->start_timing();
        if (setup_.method->jumps)
            jump(steps);
        else
            halo_.advance(
                steps,
                1,
                0,
                [this](long long some) { stepper_->advance(fields_, setup_.params, some); },
                [this] { return stored(); });
        this->stop_timing();
    }

    void paint_piece(const BrushPiece& piece, std::size_t) override {
        cuda_paint(own(stepper_->plain(fields_.front)), piece, stream_, this->first_row());
        halo_.spoil();
    }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        if (array.kind == SolverArray::Kind::inner)
            this->give_rows(FieldView<const T>(own(fields_.front)), dtype_of<T>, sink);
        else if (array.kind == SolverArray::Kind::component)
            CudaViewSolver<T>::read_rows({}, sink);
        else
            CudaViewSolver<T>::read_rows(array, sink);
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
        halo_.spoil();
        this->forget_largest();
    }

    InnerState inner(bool with_cells) override {
        InnerState state;
        state.arrays.emplace("stored", with_cells ? Field(download(own(fields_.front))) : Field());
        state.numbers = stepper_->numbers();
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const auto cells = inner.find("stored");
        if (!cells || !this->matches(inner.arrays, *cells, dtype_of<T>) || !stepper_->resume(inner.numbers))
            return false;
        this->fill({fields_.front}, inner.arrays, *cells);
        halo_.spoil();
        return true;
    }

  private:
    void jump(long long steps) {
        FieldPair<T> own_rows{own(fields_.front), own(fields_.back)};
        stepper_->advance(own_rows, setup_.params, steps);
        halo_.spoil();
    }

    // Between two arrays laid out as fields; the padding of their rows holds nothing.
    void copy_cells(void* to, const void* from) {
        const std::size_t pitch = std::size_t(fields_.front.pitch) * sizeof(T);
        copy_on_device({to, pitch, from, pitch, std::size_t(setup_.nx) * sizeof(T), std::size_t(setup_.ny)},
                       stream_);
    }

    std::size_t field_bytes() const { return cuda_field_bytes<T>(setup_.nx, setup_.ny); }

    std::array<HaloRows, 1> stored() const {
        return {HaloRows{fields_.front.data, std::size_t(fields_.front.pitch) * sizeof(T)}};
    }

    void refresh_halo() override {
        halo_.refresh([this] { return stored(); });
    }
    QuantitySource<T> source_of(Quantity&) override {
        return {stepper_->plain(fields_.front), setup_.params.boundary, {}};
    }
    FieldView<T> spare() override { return fields_.back; }

    using CudaViewSolver<T>::setup_;
    using CudaViewSolver<T>::step_;
    using CudaViewSolver<T>::stream_;
    using CudaViewSolver<T>::download;
    using CudaViewSolver<T>::own;

    CudaMemory front_;
    CudaMemory back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    HaloKeeper halo_{setup_.halo, &stream_};
};

}  // namespace

std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64) return std::make_unique<CudaSolver<double>>(setup);
    return std::make_unique<CudaSolver<float>>(setup);
}

}  // namespace stencil
