#include "kernels/examples/matmul/split/residue_matmul.cuh"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/hopper/residue_product.cuh"
#include "kernels/examples/matmul/split/residue_split.cuh"
#include "kernels/examples/matmul/split/residues.h"
#include "kernels/examples/matmul/split/scratch_parts.h"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

std::int64_t depth_of(std::int64_t k) {
    return round_up(k, hopper::kResidueDepth);
}

// A row's residues are written and read four at a time.
std::int64_t pitch_of(std::int64_t n) {
    return round_up(n, 4);
}

struct Parts {
    signed char *a, *b, *c;
    int *row_exponents, *column_exponents;
    unsigned long long* column_scratch;
    std::byte* sums_scratch;

    Parts(ScratchParts& parts, const MatmulNeeds& needs) {
        std::int64_t values_a = 0, values_b = 0, values_c = 0, m = 0, n = 0;
        std::size_t sums = 0;
        for (const MatmulShape& s : needs.shapes) {
            m = std::max(m, s.m), n = std::max(n, s.n);
            values_a = std::max(values_a, s.m * depth_of(s.k));
            values_b = std::max(values_b, s.n * depth_of(s.k));
            values_c = std::max(values_c, s.m * pitch_of(s.n));
            sums = std::max(sums, cuda_column_sums_bytes<double>({s.m, s.n, s.n}));
        }
        a = parts.take<signed char>(kModuli * values_a);
        b = parts.take<signed char>(kModuli * values_b);
        c = parts.take<signed char>(kModuli * values_c);
        row_exponents = parts.take<int>(m);
        column_exponents = parts.take<int>(n);
        column_scratch = parts.take<unsigned long long>(n);
        sums_scratch = parts.take<std::byte>(std::int64_t(sums));
    }
};

class ResidueMatmul : public CudaMatmul<double> {
  public:
    ResidueMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream), memory_(scratch_bytes<Parts>(needs)), parts_(in_scratch<Parts>(memory_, needs)) {
        for (const MatmulShape& s : needs.shapes)
            if (s.k > kMaxResidueTerms)
                throw CudaError("CUDA: sums of more than " + std::to_string(kMaxResidueTerms) +
                                " products do not fit in the 8-bit tensor cores' 32 bits");
    }

    void run(const MatmulCall<double>& call) override {
        const MatmulShape& s = call.shape;
        const Parts& p = parts_;
        const cudaStream_t stream = cuda_handle(stream_);
        const std::int64_t depth = depth_of(s.k), pitch = pitch_of(s.n);
        residues_of_rows({call.a, s.m, s.k, depth, p.a, p.row_exponents, nullptr}, stream);
        residues_of_columns({call.b, s.n, s.k, depth, p.b, p.column_exponents, p.column_scratch}, stream);
        hopper::residue_product({p.a, p.b, p.c, s, depth, pitch}, stream);
        values_of_residues({p.c, pitch, p.row_exponents, p.column_exponents}, call, stream);
        if (call.sums)
            cuda_column_sums<double>(stream_, call.c, {s.m, s.n, s.n}, nullptr, call.sums, p.sums_scratch);
    }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    Parts parts_;
};

}  // namespace

bool has_residue_matmul() {
    return hopper::has_residue_product();
}

std::size_t residue_matmul_bytes(const MatmulNeeds& needs) {
    return scratch_bytes<Parts>(needs);
}

std::unique_ptr<CudaMatmul<double>> make_residue_matmul(const MatmulNeeds& needs, CudaStream& stream) {
    return std::make_unique<ResidueMatmul>(needs, stream);
}

}  // namespace stencil::matmul
