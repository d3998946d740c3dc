// The Fourier symbol of a convolution.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/stability/matrices.h"

namespace stencil::equation {

/// A wave e^(i (kx column + ky row)) is multiplied by at(kx, ky).
class KernelSymbol {
  public:
    /// The symbol for a field, of which the longer axes are cut at 1024 cells. Known ones are kept for the
    /// next call.
    static std::shared_ptr<const KernelSymbol> of(const ConvolutionKernel& kernel,
                                                  int columns,
                                                  int rows,
                                                  const std::vector<double>& scalars);
    Complex at(double kx, double ky) const;
    /// The sum of the kernel over all offsets times the area of a cell.
    double sum() const { return sum_; }
    /// Whether waves (kx, ky) and (kx, -ky) behave differently.
    bool directed() const { return directed_; }

    /// Use of().
    KernelSymbol(std::vector<double> table, int columns, int rows);

  private:
    Complex sum_at(double kx, double ky) const;

    /// The offsets outside of which the kernel is 0 up to rounding, and its values there.
    int first_x_ = 0, first_y_ = 0, nx_ = 0, ny_ = 0;
    std::vector<double> values_;
    double sum_ = 0;
    bool directed_ = false;
    mutable std::mutex mutex_;
    mutable std::map<std::pair<double, double>, Complex> known_;
};

}  // namespace stencil::equation
