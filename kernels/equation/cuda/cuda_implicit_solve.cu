// Implicit steps on the GPU: transforms all fields, solves a small system for every mode, and transforms
// back. A distributed field is exchanged between rows and columns for each transform.

#include <algorithm>
#include <array>

#include "kernels/equation/cuda/cuda_operators.h"
#include "kernels/equation/wave_system.h"
#include "kernels/methods/spectral/spectral_lines.cuh"
#include "kernels/methods/spectral/strip_exchange.h"

namespace stencil::equation {
namespace {

constexpr int kMostComponents = 16;
constexpr int kWaveThreads = 128;

template <class T>
struct Components {
    T* data[kMostComponents];  ///< of the first run
    int count, nx, ny, pitch, runs;
};

/// WavePolynomials and mode angles in device memory.
template <class T>
struct WaveTables {
    const double* polynomials;  ///< of each run
    int x_powers, y_powers;
    OfRuns<spectral::AxisModes<T>> along_x, along_y;
    int first_column;
    bool open;
    double norm;  ///< undoes the gain of a forward and inverse transform
};

template <class T>
__device__ double entry_at(const double* c, const WaveTables<T>& tables, double x, double y) {
    double sum = 0;
    for (int p = tables.x_powers - 1; p >= 0; --p) {
        double along_y = 0;
        for (int q = tables.y_powers - 1; q >= 0; --q) along_y = along_y * y + c[p * tables.y_powers + q];
        sum = sum * x + along_y;
    }
    return sum;
}

// kMost is at least the number of components; it fixes the matrix' size.
template <int kMost, class T>
__global__ void __launch_bounds__(kWaveThreads) solve_kernel(Components<T> fields, WaveTables<T> tables) {
    const int k = block_column() * kWaveThreads + int(threadIdx.x);
    const int row = block_row(fields.runs), run = block_field(fields.runs);
    if (k >= fields.nx || row >= fields.ny) return;
    const double x = eigenvalue(tables.along_x.of(run).angles[tables.first_column + k]);
    const double y = eigenvalue(tables.along_y.of(run).angles[row]);
    const std::int64_t at = (std::int64_t(run) * fields.ny + row) * fields.pitch + k;
    const int n = kMost <= 2 ? kMost : fields.count;
    double matrix[kMost * kMost], b[kMost];
    const int values = tables.x_powers * tables.y_powers;
    const double* polynomials = tables.polynomials + run * n * n * values;
    for (int i = 0; i < n * n; ++i) matrix[i] = entry_at(polynomials + i * values, tables, x, y);
    for (int c = 0; c < n; ++c) b[c] = tables.norm * double(fields.data[c][at]);
    if (n == 1)
        b[0] = solve_single(matrix[0], b[0], tables.open);
    else
        solve_system(matrix, b, n);
    for (int c = 0; c < n; ++c) fields.data[c][at] = T(b[c]);
}

template <class T>
std::size_t bytes_of_field(int nx, int ny) {
    return std::size_t(std::max(nx, 1)) * std::size_t(ny) * sizeof(T);
}

template <class T>
struct CudaImplicitSolve : RunsOperator<T> {
    using Plan = spectral::AxisPlan<T>;
    using Chunk = spectral::Chunk<T>;

    // Each plan has the batch size of the whole field, because cuFFT chooses its kernels by it: only then
    // does each line of a slab get the same bits.
    CudaImplicitSolve(const LinearPart& linear,
                      FieldShape local_rows,
                      const ExecutionSpace& its_space,
                      int runs)
        : part(linear),
          polynomials(linear),
          on(its_space),
          whole(whole_shape(on, local_rows)),
          stream(*on.stream),
          rows(linear.along_x, whole.nx, whole.ny, stream, runs),
          columns(linear.along_y, whole.ny, whole.nx, stream, runs),
          turned(memory(std::size_t(runs) * bytes_of_field<T>(whole.nx, local_rows.ny))),
          numbers(memory(std::max(rows.chunk_bytes(), columns.chunk_bytes()))),
          work(memory(std::max(rows.fft().work_bytes(), columns.fft().work_bytes()))),
          values(memory(std::size_t(runs) * polynomials.values.size() * sizeof(double))) {
        rows.fft().work_in(work.data());
        columns.fft().work_in(work.data());
        if (!on.strips) return;
        first_column = on.strips->columns().begin(on.strips->part());
        own_columns = on.strips->columns().count(on.strips->part());
        strip = memory(bytes_of_field<T>(own_columns, whole.ny));
        for (int c = 0; c < linear.fields; ++c)
            modes.push_back(memory(bytes_of_field<T>(own_columns, whole.ny)));
    }

    CudaMemory memory(std::size_t bytes) const { return CudaMemory(bytes, stream.device()); }

    /// Transforms the rows of `from` and stores them as the columns of `to`.
    template <Modes M, bool kBack>
    void turn(Plan& plan, FieldView<T> from, FieldView<T> to, int runs) {
        const cudaStream_t handle = cuda_handle(stream);
        const auto turn_chunk = [&](const Chunk& chunk, int first) {
            spectral::load<M, kBack>(chunk, handle);
            const FieldView<T> its = spectral::of_run(to, chunk.first_run);
            spectral::store_transposed<M, kBack>(
                plan.template transformed<M>(chunk, kBack), spectral::from_column(its, first), handle);
        };
        plan.for_chunks(from, numbers.data(), turn_chunk, runs);
    }

    /// Transforms local rows to `to`; for a distributed field, to complete local columns.
    template <bool kBack>
    void transform(FieldView<T> from, FieldView<T> to, int runs) {
        const FieldView<T> between{static_cast<T*>(turned.data()), from.ny, from.nx, from.ny};
        FieldView<T> complete = between;
        with_modes(part.along_x, [&](auto m) { turn<m.value, kBack>(rows, from, between, runs); });
        if (on.strips) {
            complete = {static_cast<T*>(strip.data()), whole.ny, own_columns, whole.ny};
            on.strips->exchange(
                cut_rows(between, on.strips->columns()), cut_columns(complete, on.strips->rows()), on);
        }
        with_modes(part.along_y, [&](auto m) { turn<m.value, kBack>(columns, complete, to, runs); });
    }

    /// The memory for the modes of the field that is returned in `to`: `to` itself, or for a distributed
    /// field a buffer of its local columns.
    FieldView<T> modes_of(std::size_t field, FieldView<T> to) const {
        if (!on.strips) return to;
        return {static_cast<T*>(modes[field].data()), own_columns, whole.ny, own_columns};
    }

    /// Transforms modes back to local rows.
    void transform_back(FieldView<T> field_modes, FieldView<T> to, int runs) {
        const auto to_rows = [&] {
            if (on.strips)
                on.strips->exchange(
                    cut_rows(field_modes, on.strips->rows()), cut_columns(to, on.strips->columns()), on);
        };
        to_rows();
        transform<true>(to, field_modes, runs);
        to_rows();
    }

    template <int kMost>
    void launch(const Components<T>& fields) {
        if (fields.nx == 0) return;
        const double norm =
            1 / (double(length_of(part.along_x, whole.nx)) * length_of(part.along_y, whole.ny));
        const WaveTables<T> tables{static_cast<const double*>(values.data()),
                                   polynomials.x_powers,
                                   polynomials.y_powers,
                                   rows.modes(),
                                   columns.modes(),
                                   first_column,
                                   part.matrix == LinearPart::Matrix::equation,
                                   norm};
        const dim3 grid = grid_over(fields.nx, fields.ny, kWaveThreads, 1, fields.runs);
        solve_kernel<kMost><<<grid, kWaveThreads, 0, cuda_handle(stream)>>>(fields, tables);
        check_launch("solve_kernel");
    }

    static int length_of(Modes modes, int n) {
        return with_modes(modes, [&](auto m) { return SpectralAxis<m.value>::length(n); });
    }

    void set_runs(const std::vector<std::vector<double>>& coefficients,
                  const std::vector<double>& dt,
                  ThreadPool*) override {
        std::vector<double> every;
        std::array<std::vector<std::vector<double>>, 2> ratios;
        for (std::size_t run = 0; run < coefficients.size(); ++run) {
            polynomials.set(part, coefficients[run], dt[run]);
            every.insert(every.end(), polynomials.values.begin(), polynomials.values.end());
            for (const std::size_t axis : {0, 1})
                ratios[axis].push_back(general_ratios(part, coefficients[run], axis));
        }
        if (part.along_x == Modes::general) rows.set(ratios[0]);
        if (part.along_y == Modes::general) columns.set(ratios[1]);
        const std::size_t bytes = every.size() * sizeof(double);
        copy_to_device({values.data(), bytes, every.data(), bytes, bytes, 1}, stream);
    }

    void apply_runs(const std::vector<FieldView<T>>& from,
                    const std::vector<FieldView<T>>& to,
                    int runs) override {
        const FieldView<T> shape = modes_of(0, to[0]);
        Components<T> fields{{}, int(to.size()), shape.nx, shape.ny, shape.pitch, runs};
        for (std::size_t c = 0; c < to.size(); ++c) {
            const FieldView<T> own = modes_of(c, to[c]);
            transform<false>(from[c], own, runs);
            fields.data[c] = own.data;
        }
        if (to.size() == 1)
            launch<1>(fields);
        else if (to.size() == 2)
            launch<2>(fields);
        else if (to.size() <= 4)
            launch<4>(fields);
        else
            launch<kMostComponents>(fields);
        for (std::size_t c = 0; c < to.size(); ++c) transform_back(modes_of(c, to[c]), to[c], runs);
    }

    int together() const override { return std::min(rows.runs(), columns.runs()); }

    LinearPart part;
    WavePolynomials polynomials;
    ExecutionSpace on;
    FieldShape whole;
    CudaStream& stream;
    Plan rows, columns;
    CudaMemory turned;   ///< a component's rows of all runs, transposed
    CudaMemory numbers;  ///< complex rows of a chunk
    CudaMemory work;     ///< cuFFT's workspace
    CudaMemory values;   ///< coefficients of the polynomials of each run
    // Only for distributed fields:
    int first_column = 0, own_columns = 0;
    CudaMemory strip;               ///< a component's local columns, transposed
    std::vector<CudaMemory> modes;  ///< modes of the local columns, by component
};

}  // namespace

template <class T>
std::size_t bytes_of_cuda_solve(const LinearPart& part, FieldShape shape) {
    const auto matrices = [](Modes modes, int n) {
        return modes == Modes::general ? 2 * std::size_t(n) * std::size_t(n) * sizeof(T) : 0;
    };
    return bytes_of_field<T>(shape.nx, shape.ny) + matrices(part.along_x, shape.nx) +
           matrices(part.along_y, shape.ny);
}

template <class T>
std::unique_ptr<RunsOperator<T>> make_cuda_solve(const LinearPart& part,
                                                 FieldShape rows,
                                                 const ExecutionSpace& on,
                                                 int runs) {
    return std::make_unique<CudaImplicitSolve<T>>(part, rows, on, runs);
}

template std::size_t bytes_of_cuda_solve<float>(const LinearPart&, FieldShape);
template std::size_t bytes_of_cuda_solve<double>(const LinearPart&, FieldShape);
template std::unique_ptr<RunsOperator<float>> make_cuda_solve(const LinearPart&,
                                                              FieldShape,
                                                              const ExecutionSpace&,
                                                              int);
template std::unique_ptr<RunsOperator<double>> make_cuda_solve(const LinearPart&,
                                                               FieldShape,
                                                               const ExecutionSpace&,
                                                               int);

}  // namespace stencil::equation
