#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/device_arena.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/examples/matmul/hopper/half_product.cuh"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/split/half_split.cuh"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

MatmulShape largest(const MatmulNeeds& needs) {
    MatmulShape all;
    for (const MatmulShape& s : needs.shapes)
        all = {std::max(all.m, s.m), std::max(all.k, s.k), std::max(all.n, s.n)};
    return all;
}

std::int64_t sums_bytes(const MatmulNeeds& needs, std::int64_t (*rows)(std::int64_t)) {
    std::size_t bytes = 0;
    for (const MatmulShape& s : needs.shapes)
        bytes = std::max(bytes, cuda_column_sums_bytes<float>({rows(s.m), s.n, s.n}));
    return std::int64_t(bytes);
}

/// Both factors as halves, `pitch` of them a row.
struct Halves {
    __half *a, *b;
    int *a_exponents, *b_exponents;
    unsigned* column_scratch;

    Halves(DeviceArena& parts, const MatmulShape& s, std::int64_t pitch)
        : a(parts.take<__half>(s.m * pitch)),
          b(parts.take<__half>(s.n * pitch)),
          a_exponents(parts.take<int>(s.m)),
          b_exponents(parts.take<int>(s.n)),
          column_scratch(parts.take<unsigned>(s.n)) {}
};

// One kernel for everything behind the split, with the column sums of each tile.
struct HopperParts {
    static std::int64_t depth(std::int64_t k) { return round_up(k, hopper::kHalfDepth); }

    Halves halves;
    float* partial_sums;
    std::byte* sums_scratch;

    HopperParts(DeviceArena& parts, const MatmulNeeds& needs)
        : halves(parts, largest(needs), 2 * depth(largest(needs).k)),
          partial_sums(parts.take<float>(hopper::half_sum_rows(largest(needs).m) * largest(needs).n)),
          sums_scratch(parts.take<std::byte>(sums_bytes(needs, hopper::half_sum_rows))) {}
};

class HopperMatmul : public CudaMatmul<float> {
  public:
    HopperMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream),
          memory_(arena_bytes<HopperParts>(needs)),
          parts_(in_arena<HopperParts>(memory_, needs)) {}

    void run(const MatmulCall<float>& call) override {
        const MatmulShape& s = call.shape;
        const std::int64_t depth = HopperParts::depth(s.k);
        const Halves& h = parts_.halves;
        const HalfLayout layout{s.k, depth, 2 * depth, 2, 0, 1, -1};
        split_rows({call.a, s.m, layout, h.a, h.a_exponents}, cuda_handle(stream_));
        split_columns({call.b, s.n, layout, h.b, h.b_exponents, h.column_scratch}, cuda_handle(stream_));
        float* const partial = call.sums ? parts_.partial_sums : nullptr;
        hopper::half_product(
            {h.a, h.b, h.a_exponents, h.b_exponents, call.c, partial, s, depth, call.accumulate},
            cuda_handle(stream_));
        if (call.sums)
            cuda_column_sums<float>(stream_,
                                    partial,
                                    {hopper::half_sum_rows(s.m), s.n, s.n},
                                    nullptr,
                                    call.sums,
                                    parts_.sums_scratch);
    }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    HopperParts parts_;
};

// cuBLAS's tensor core products cut off bits from their sums, too: so it gets k in chunks, and adds a chunk's
// result to C with rounding. Side by side along k, the three products of a chunk are one; the small ones
// come first, while the sums are small.
constexpr std::int64_t kChunk = 256;
constexpr int kProducts = 3;

std::int64_t library_pitch(std::int64_t k) {
    return round_up(k, kChunk) * kProducts;
}

std::int64_t same(std::int64_t rows) {
    return rows;
}

struct LibraryParts {
    Halves halves;
    float* c;  // before it is scaled back
    std::byte *sums_scratch, *workspace;

    LibraryParts(DeviceArena& parts, const MatmulNeeds& needs)
        : halves(parts, largest(needs), library_pitch(largest(needs).k)),
          c(parts.take<float>(largest(needs).m * largest(needs).n)),
          sums_scratch(parts.take<std::byte>(sums_bytes(needs, same))),
          workspace(parts.take<std::byte>(std::int64_t(needs.workspace))) {}
};

__global__ void __launch_bounds__(256) scale_back_kernel(const float* scaled,
                                                         const int* row_exponents,
                                                         const int* column_exponents,
                                                         MatmulCall<float> call) {
    const std::int64_t column = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= call.shape.n) return;
    const int exponent = column_exponents[column];
    for (std::int64_t row = blockIdx.y; row < call.shape.m; row += gridDim.y) {
        const std::int64_t at = row * call.shape.n + column;
        const float value = ldexpf(scaled[at], exponent + row_exponents[row]);
        call.c[at] = call.accumulate ? call.c[at] + value : value;
    }
}

class LibraryMatmul : public CudaMatmul<float> {
  public:
    LibraryMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream),
          memory_(arena_bytes<LibraryParts>(needs)),
          parts_(in_arena<LibraryParts>(memory_, needs)) {
        for (const MatmulShape& s : needs.shapes) {
            const std::int64_t pitch = library_pitch(s.k);
            shapes_.push_back(s);
            products_.push_back(
                std::make_unique<LtProduct>(handle_,
                                            LtKind{CUBLAS_COMPUTE_32F, CUDA_R_16F, true, pitch, pitch},
                                            MatmulShape{s.m, kProducts * kChunk, s.n},
                                            LtWorkspace{parts_.workspace, needs.workspace}));
        }
    }

    void run(const MatmulCall<float>& call) override {
        const MatmulShape& s = call.shape;
        const Halves& h = parts_.halves;
        const HalfLayout a{s.k, kChunk, library_pitch(s.k), kProducts, 1, 0, 2};  // low high high
        const HalfLayout b{s.k, kChunk, library_pitch(s.k), kProducts, 0, 1, 2};  // high low high
        split_rows({call.a, s.m, a, h.a, h.a_exponents}, cuda_handle(stream_));
        split_columns({call.b, s.n, b, h.b, h.b_exponents, h.column_scratch}, cuda_handle(stream_));
        LtProduct& product = product_for(s);
        for (std::int64_t chunk = 0; chunk < half_chunks(a); ++chunk) {
            const std::int64_t at = chunk * kProducts * kChunk;
            product.run({h.a + at, h.b + at, parts_.c, chunk > 0}, stream_);
        }
        const dim3 grid(unsigned((s.n + 255) / 256), unsigned(std::min<std::int64_t>(s.m, 1024)));
        scale_back_kernel<<<grid, 256, 0, cuda_handle(stream_)>>>(
            parts_.c, h.a_exponents, h.b_exponents, call);
        check_launch("scale_back_kernel");
        if (call.sums)
            cuda_column_sums<float>(
                stream_, call.c, {s.m, s.n, s.n}, nullptr, call.sums, parts_.sums_scratch);
    }

  private:
    LtProduct& product_for(const MatmulShape& shape) const {
        const auto found = std::ranges::find(shapes_, shape);
        return *products_[std::size_t(found - shapes_.begin())];
    }

    CudaStream& stream_;
    CudaMemory memory_;
    LibraryParts parts_;
    LtHandle handle_;
    std::vector<MatmulShape> shapes_;
    std::vector<std::unique_ptr<LtProduct>> products_;
};

}  // namespace

std::unique_ptr<CudaMatmul<float>> make_half_library(const MatmulNeeds& needs, CudaStream& stream) {
    return std::make_unique<LibraryMatmul>(needs, stream);
}

std::size_t half_matmul_bytes(const MatmulNeeds& needs) {
    return has_half_kernel() ? arena_bytes<HopperParts>(needs) : arena_bytes<LibraryParts>(needs);
}

std::unique_ptr<CudaMatmul<float>> make_half_matmul(const MatmulNeeds& needs, CudaStream& stream) {
    if (has_half_kernel()) return std::make_unique<HopperMatmul>(needs, stream);
    return make_half_library(needs, stream);
}

bool has_half_kernel() {
    static const bool there = hopper::has_half_product();
    return there;
}

}  // namespace stencil::matmul
