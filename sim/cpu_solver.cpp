#include <algorithm>
#include <chrono>

#include "kernels/laplacian.h"
#include "kernels/padded_rows.h"
#include "kernels/thread_pool.h"
#include "sim/solver.h"

namespace stencil {
namespace {

template <class T>
class CpuSolver : public Solver {
  public:
    explicit CpuSolver(const SolverSetup& setup)
        : setup_(setup),
          threads_(setup.threads),
          schedule_(setup.params.coefficient),
          front_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          back_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          stepper_(make_stepper<T>(*setup.method, {&threads_, nullptr}, {setup.nx, setup.ny})) {
        fields_.front = PaddedRows<T>::view(front_.data(), setup.nx, setup.ny);
        fields_.back = PaddedRows<T>::view(back_.data(), setup.nx, setup.ny);
        // The padding is read by whole vectors, though no cell depends on it.
        clear(front_);
        clear(back_);
    }

    void load(const Field& start) override {
        start.visit([&](const auto& cells) {
            threads_.for_ranges(setup_.ny, [&](std::int64_t begin, std::int64_t end) {
                for (int y = int(begin); y < int(end); ++y)
                    std::ranges::transform(cells.view().row(y),
                                           cells.view().row(y) + setup_.nx,
                                           fields_.front.row(y),
                                           [](auto value) { return T(value); });
            });
        });
        schedule_.restart();
    }

    void set_params(const DiffusionParams& params) override {
        setup_.params = params;
        schedule_.set_coefficient(params.coefficient);
    }

    void advance(long long steps) override {
        const auto start = std::chrono::steady_clock::now();
        stepper_->advance(fields_, setup_.params.boundary, schedule_, steps);
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double wait() override { return std::exchange(seconds_, 0.0); }

    Field field() override {
        Array<T> result(setup_.nx, setup_.ny);
        read_field<T>(fields_.front, schedule_.read_factor(), result.view(), threads_);
        return in_precision(std::move(result));
    }

    // Of the field that field() gives, also where the state is more precise than that.
    Field laplacian() override {
        return field().visit([&](const auto& cells) {
            using U = std::remove_cvref_t<decltype(cells.at(0, 0))>;
            Array<U> result(setup_.nx, setup_.ny);
            read_laplacian<U>(cells.view(), setup_.params.boundary, result.view(), threads_);
            return Field(std::move(result));
        });
    }

  private:
    void clear(AlignedBuffer<T>& buffer) {
        threads_.for_ranges(std::int64_t(buffer.size()), [&](std::int64_t begin, std::int64_t end) {
            std::fill(buffer.data() + begin, buffer.data() + end, T(0));
        });
    }

    // The state may be in float64 whatever the setup's precision is.
    Field in_precision(Array<T> cells) const {
        Field field(std::move(cells));
        return field.dtype() == setup_.dtype ? std::move(field) : field.to(setup_.dtype);
    }

    SolverSetup setup_;
    ThreadPool threads_;
    ScaledSteps<T> schedule_;
    AlignedBuffer<T> front_;
    AlignedBuffer<T> back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<CpuSolver<double>>(setup);
    return std::make_unique<CpuSolver<float>>(setup);
}

}  // namespace stencil
