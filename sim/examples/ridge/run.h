// The ridge example's rows, tables and curve for one matrix.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/examples/ridge/dense_ridge.h"
#include "kernels/examples/ridge/golub_kahan/cuda_golub_kahan.h"
#include "kernels/examples/ridge/ridge_path.h"
#include "sim/examples/context.h"
#include "sim/examples/ridge/further_bound.h"
#include "sim/examples/ridge/settings.h"
#include "sim/examples/ridge/solution_check.h"

namespace stencil {

/// What a process found under one rule.
struct PathResult {
    bool certified = true;
    std::vector<RidgePoint> points;
    std::vector<CurvePoint> checked;  ///< the points, by fresh products
    std::vector<double> x;            ///< coefficients x columns
    Bidiagonal bidiagonal;
};

template <class T>
class RidgeRun {
  public:
    /// All are kept by reference.
    RidgeRun(const ExampleRequest& request,
             ExampleContext& context,
             const RidgeSettings& settings,
             const SparseMatrix<T>& a,
             const std::vector<double>& d);

    /// Throws MachineError where the GPU memory that is allowed does not suffice, before anything is
    /// measured.
    void run();

  private:
    // rows.cpp: the processes
    void plan_gpu();
    void process_rows();
    void process_row(GolubKahan& process, ReportRow row, bool certified);
    void add_path_row(ReportRow row, PathResult result);
    RidgeRule rule(bool certified) const;
    ReportRow named(const std::string& name, Device device, bool certified) const;
    // rivals.cpp: the dense normal equations, as the truth
    void cholesky_rows();
    void cholesky_row(DenseRidge& dense, ReportRow row);
    std::vector<double> refined(DenseRidge& dense, double c);
    // results.cpp
    void report_results();
    void report_table(const PathResult& result, const std::string& id, const std::string& title);
    void report_further(const FurtherBound& bound);
    void write_solutions();

    std::size_t columns() const { return std::size_t(a_.columns); }

    const ExampleRequest& request_;
    ExampleContext& context_;
    const RidgeSettings& settings_;
    const SparseMatrix<T>& a_;
    const std::vector<double>& d_;
    SolutionChecker<T> checker_;
    std::int64_t most_steps_;
    CudaRidgePlan plan_;
    std::vector<double> truth_;        // coefficients x columns; empty: not known
    std::vector<PathResult> results_;  // one for each rule, of the last device
};

}  // namespace stencil
