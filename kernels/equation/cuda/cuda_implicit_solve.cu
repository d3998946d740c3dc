// Implicit steps on the GPU: transforms all fields, solves a small system for every mode, and transforms
// back.

#include "kernels/equation/cuda/cuda_implicit_solve.h"

#include "kernels/equation/wave_system.h"
#include "kernels/methods/spectral/spectral_lines.cuh"

namespace stencil::equation {
namespace {

constexpr int kMostComponents = 16;
constexpr int kWaveThreads = 128;

template <class T>
struct Components {
    T* data[kMostComponents];
    int count, nx, ny, pitch;
};

/// WavePolynomials and mode angles in device memory.
struct WaveTables {
    const double* polynomials;
    int x_powers, y_powers;
    const ModeAngle* along_x;
    const ModeAngle* along_y;
    bool signed_x, signed_y, open;
    double norm;  ///< undoes the gain of a forward and inverse transform
};

__device__ double entry_at(const double* c, const WaveTables& tables, double x, double y) {
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
__global__ void __launch_bounds__(kWaveThreads) solve_kernel(Components<T> fields, WaveTables tables) {
    const int k = block_column() * kWaveThreads + int(threadIdx.x);
    const int row = block_row();
    if (k >= fields.nx || row >= fields.ny) return;
    const double x = eigenvalue(tables.along_x[k], tables.signed_x);
    const double y = eigenvalue(tables.along_y[row], tables.signed_y);
    const std::int64_t at = std::int64_t(row) * fields.pitch + k;
    const int n = kMost <= 2 ? kMost : fields.count;
    double matrix[kMost * kMost], b[kMost];
    const int values = tables.x_powers * tables.y_powers;
    for (int i = 0; i < n * n; ++i) matrix[i] = entry_at(tables.polynomials + i * values, tables, x, y);
    for (int c = 0; c < n; ++c) b[c] = tables.norm * double(fields.data[c][at]);
    if (n == 1)
        b[0] = solve_single(matrix[0], b[0], tables.open);
    else
        solve_system(matrix, b, n);
    for (int c = 0; c < n; ++c) fields.data[c][at] = T(b[c]);
}

}  // namespace

template <class T>
struct CudaImplicitSolve<T>::Transforms {
    using Plan = spectral::AxisPlan<T>;
    using Chunk = spectral::Chunk<T>;

    Transforms(const LinearPart& linear, int nx, int ny, CudaStream& its_stream)
        : part(linear),
          polynomials(linear),
          stream(its_stream),
          rows(linear.along_x, nx, ny, cuda_handle(its_stream)),
          columns(linear.along_y, ny, nx, cuda_handle(its_stream)),
          turned(std::size_t(nx) * std::size_t(ny) * sizeof(T)),
          numbers(std::max(rows.chunk_bytes(), columns.chunk_bytes())),
          work(std::max(rows.fft().work_bytes(), columns.fft().work_bytes())),
          values(spectral::upload(polynomials.values)) {
        rows.fft().work_in(work.data());
        columns.fft().work_in(work.data());
    }

    /// Transforms the rows of `from` and stores them as the columns of `to`.
    template <Boundary B, bool kBack>
    void turn(Plan& plan, FieldView<T> from, FieldView<T> to) {
        const cudaStream_t handle = cuda_handle(stream);
        plan.for_chunks(from, numbers.data(), [&](const Chunk& chunk, int first) {
            spectral::load<B, kBack>(chunk, handle);
            plan.fft().run(chunk.z, kBack ? CUFFT_INVERSE : CUFFT_FORWARD);
            spectral::store_transposed<B, kBack>(chunk, spectral::from_column(to, first), handle);
        });
    }

    template <bool kBack>
    void transform(FieldView<T> from, FieldView<T> to) {
        const FieldView<T> between{static_cast<T*>(turned.data()), to.ny, to.nx, to.ny};
        with_boundary(part.along_x, [&](auto b) { turn<b.value, kBack>(rows, from, between); });
        with_boundary(part.along_y, [&](auto b) { turn<b.value, kBack>(columns, between, to); });
    }

    template <int kMost>
    void launch(const Components<T>& fields) {
        const double norm =
            1 / (double(length_of(part.along_x, fields.nx)) * length_of(part.along_y, fields.ny));
        const WaveTables tables{static_cast<const double*>(values.data()),
                                polynomials.x_powers,
                                polynomials.y_powers,
                                rows.angles(),
                                columns.angles(),
                                part.signed_x,
                                part.signed_y,
                                part.matrix == LinearPart::Matrix::equation,
                                norm};
        const dim3 grid = grid_over(fields.nx, fields.ny, kWaveThreads, 1);
        solve_kernel<kMost><<<grid, kWaveThreads, 0, cuda_handle(stream)>>>(fields, tables);
        check_launch("solve_kernel");
    }

    static int length_of(Boundary boundary, int n) {
        return with_boundary(boundary, [&](auto b) { return SpectralAxis<b.value>::length(n); });
    }

    LinearPart part;
    WavePolynomials polynomials;
    CudaStream& stream;
    Plan rows, columns;
    CudaMemory turned;   ///< a component, transposed
    CudaMemory numbers;  ///< complex rows of a chunk
    CudaMemory work;     ///< cuFFT's workspace
    CudaMemory values;   ///< coefficients of the polynomials
};

template <class T>
CudaImplicitSolve<T>::CudaImplicitSolve(const LinearPart& part, int nx, int ny, CudaStream& stream)
    : transforms_(std::make_unique<Transforms>(part, nx, ny, stream)) {}

template <class T>
CudaImplicitSolve<T>::~CudaImplicitSolve() = default;

template <class T>
void CudaImplicitSolve<T>::set(const std::vector<double>& coefficients, double dt) {
    Transforms& t = *transforms_;
    t.polynomials.set(t.part, coefficients, dt);
    t.stream.synchronize();  // running steps read the old values
    const std::vector<double>& values = t.polynomials.values;
    CUDA_CHECK(
        cudaMemcpy(t.values.data(), values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice));
}

template <class T>
void CudaImplicitSolve<T>::apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    Transforms& t = *transforms_;
    Components<T> fields{{}, int(to.size()), to[0].nx, to[0].ny, to[0].pitch};
    for (std::size_t c = 0; c < to.size(); ++c) {
        t.template transform<false>(from[c], to[c]);
        fields.data[c] = to[c].data;
    }
    if (to.size() == 1)
        t.template launch<1>(fields);
    else if (to.size() == 2)
        t.template launch<2>(fields);
    else if (to.size() <= 4)
        t.template launch<4>(fields);
    else
        t.template launch<kMostComponents>(fields);
    for (const FieldView<T>& field : to) t.template transform<true>(field, field);
}

template class CudaImplicitSolve<float>;
template class CudaImplicitSolve<double>;

}  // namespace stencil::equation
