#include <stdexcept>
#include <utility>

#include "kernels/cuda_field.h"
#include "kernels/cuda_runtime.h"
#include "sim/solver.h"

namespace stencil {
namespace {

template <class T>
class CudaSolver : public Solver {
  public:
    explicit CudaSolver(const SolverSetup& setup)
        : setup_(setup),
          schedule_(setup.params.coefficient),
          front_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          back_(cuda_field_bytes<T>(setup.nx, setup.ny)),
          stepper_(make_stepper<T>(*setup.method, {nullptr, &stream_}, {setup.nx, setup.ny})) {
        fields_.front = cuda_view<T>(front_, setup.nx, setup.ny);
        fields_.back = cuda_view<T>(back_, setup.nx, setup.ny);
    }

    void load(const Field& start) override {
        const Field rounded = start.dtype() == dtype() ? Field() : start.to(dtype());
        const Array<T>& cells = (rounded.size() > 0 ? rounded : start).template as<T>();
        const std::size_t row = std::size_t(setup_.nx) * sizeof(T);
        copy_to_device({fields_.front.data,
                        std::size_t(fields_.front.pitch) * sizeof(T),
                        cells.data(),
                        row,
                        row,
                        std::size_t(setup_.ny)},
                       stream_);
        schedule_.restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        stream_.synchronize();
    }

    void set_params(const DiffusionParams& params) override {
        setup_.params = params;
        schedule_.set_coefficient(params.coefficient);
    }

    void advance(long long steps) override {
        // Only the newest batch is timed by events, so an older one is settled first.
        seconds_ += settle();
        timer_.start(stream_);
        stepper_->advance(fields_, setup_.params.boundary, schedule_, steps);
        timer_.stop(stream_);
        timing_ = true;
    }

    double wait() override {
        seconds_ += settle();
        stream_.synchronize();
        return std::exchange(seconds_, 0.0);
    }

    Field field() override {
        cuda_read_field<T>(fields_.front, schedule_.read_factor(), fields_.back, stream_);
        return copy_back();
    }

    Field laplacian() override {
        cuda_read_laplacian<T>(
            fields_.front, schedule_.read_factor(), setup_.params.boundary, fields_.back, stream_);
        return copy_back();
    }

    void set_base(const Field&) override { missing(); }
    void set_base(Solver&) override { missing(); }
    void resample(Quantity, const ResampleRequest&, bool, Pixels&) override { missing(); }
    Statistics statistics(Quantity) override { missing(); }
    std::vector<double> percentiles(Quantity, std::span<const double>) override { missing(); }
    std::vector<std::uint64_t> histogram(Quantity, double, double, int) override { missing(); }
    std::vector<double> sample(Quantity, std::span<const SamplePoint>, bool) override { missing(); }
    void paint(const BrushPiece&) override { missing(); }
    std::unique_ptr<SavedState> save() override { missing(); }
    void restore(const SavedState&) override { missing(); }

  private:
    [[noreturn]] static void missing() { throw std::logic_error("not on CUDA yet"); }
    static constexpr DType dtype() { return sizeof(T) == sizeof(float) ? DType::float32 : DType::float64; }

    double settle() {
        if (!timing_) return 0;
        timing_ = false;
        return timer_.seconds();
    }

    // The scratch field holds what is read.
    Field copy_back() {
        Array<T> result(setup_.nx, setup_.ny);
        const std::size_t row = std::size_t(setup_.nx) * sizeof(T);
        copy_to_host({result.data(),
                      row,
                      fields_.back.data,
                      std::size_t(fields_.back.pitch) * sizeof(T),
                      row,
                      std::size_t(setup_.ny)},
                     stream_);
        return result;
    }

    SolverSetup setup_;
    CudaStream stream_;
    CudaTimer timer_;
    ScaledSteps<T> schedule_;
    CudaMemory front_;
    CudaMemory back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    double seconds_ = 0;
    bool timing_ = false;
};

}  // namespace

std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64) return std::make_unique<CudaSolver<double>>(setup);
    return std::make_unique<CudaSolver<float>>(setup);
}

}  // namespace stencil
