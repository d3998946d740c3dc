// What the example reports: the plan's table, rates and errors.
#pragma once

#include "sim/examples/context.h"
#include "sim/examples/einsum/operands.h"
#include "sim/examples/einsum/slicing.h"

namespace stencil::einsum {

/// Throws MachineError where the operands and intermediates do not fit in main memory.
void require_host_memory(const EinsumTask& task, const Plan& plan);

/// The table "path", and notes.
void describe_plan(const EinsumTask& task, const Plan& plan, Report& report);

/// "3 pieces along i and j"
std::string slicing_text(const Slicing& slicing);

/// Bytes and operations per second of a row whose seconds are known, the one that is nearer its limit first.
void add_einsum_rates(ReportRow& row, const Plan& plan, long long repetitions, ExampleContext& context);

/// Norms of a result against what it should be.
struct ErrorNorms {
    double error = 0, reference = 0;
    double relative() const { return reference > 0 ? error / reference : error; }
};
template <class T>
ErrorNorms error_norms(std::span<const T> result, std::span<const double> reference);

/// Some values of the result by the definition, as many as are quick.
template <class T>
class DirectCheck {
  public:
    DirectCheck(const Contraction& contraction, std::span<const T* const> operands, ExampleContext& context);
    /// kNotMeasured where one value already takes too long.
    double error(std::span<const T> result) const;
    std::string text() const;

  private:
    std::int64_t values_ = 0;
    std::vector<std::pair<std::int64_t, double>> truth_;  ///< place and value
};

}  // namespace stencil::einsum
