#include "sim/examples/einsum/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/examples/einsum/direct_loop.h"
#include "sim/field/random.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::einsum {
namespace {

// Multiplications of the definition that take about a second in all.
constexpr double kMaxTerms = 1e8;
constexpr std::int64_t kMaxChecked = 200;

double operand_values(const Plan& plan) {
    double values = 0;
    for (std::size_t i = 0; i < plan.operands; ++i) values += double(plan.tensors[i].values);
    return values;
}

}  // namespace

void require_host_memory(const EinsumTask& task, const Plan& plan) {
    const double result = double(plan.tensors.back().values), scratch = double(plan.scratch_values);
    double needed = 0;
    for (const DType dtype : task.dtypes) {
        // The operands and results of float32 are there in float64 as well.
        const bool wide = dtype == DType::float32;
        const double bytes = double(bytes_of(dtype));
        needed = std::max(
            needed, operand_values(plan) * (bytes + (wide ? 8 : 0)) + scratch * 8 + result * (2 * bytes + 8));
    }
    const double free = double(query_host_memory().free_bytes);
    if (needed > free)
        throw MachineError(fmt::format(
            "einsum: needs {:.3g} GB of main memory; {:.3g} GB are free", needed / 1e9, free / 1e9));
}

void describe_plan(const EinsumTask& task, const Plan& plan, Report& report) {
    ReportTable table;
    table.id = "path";
    table.title = fmt::format("Path of {}", task.subscripts);
    table.columns = {"step", "kind", "subscripts", "flops", "values moved", "values of the result"};
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const PlanStep& step = plan.steps[i];
        table.rows.push_back({i + 1,
                              step.kind,
                              step.subscripts,
                              step.flops,
                              step.values_moved,
                              plan.tensors[std::size_t(step.out)].values});
    }
    report.tables.push_back(std::move(table));
    const double naive = task.contraction.naive_flops();
    report.notes.push_back(fmt::format(
        "One repetition takes {:.3g} operations ({:.3g} in a loop over all labels at once), moves {:.3g} MB "
        "in float32 and twice as many in float64; the largest intermediate has {} values.",
        plan.flops(),
        naive,
        plan.values_moved() * 4e-6,
        plan.largest_intermediate));
    if (task.subscripts != "ij,jk->...k") return;
    report.notes.emplace_back(
        "i is summed out of A before anything is multiplied, on both sides: the ratio of the times is that "
        "of two memories. CuPy does the same (sum, then matmul), and so does NumPy from 2.4 on; before, "
        "NumPy went through the loop over all labels, which is the 'inf' of the tutorial's CPU column.");
}

std::string slicing_text(const Slicing& slicing) {
    std::string labels;
    for (const SlicedLabel& sliced : slicing.labels())
        labels += fmt::format("{}{} by {}",
                              labels.empty() ? "" : ", ",
                              slicing.contraction().names[std::size_t(sliced.label)],
                              sliced.length);
    return fmt::format("{} streamed pieces: {}", slicing.pieces(), labels);
}

void add_einsum_rates(ReportRow& row, const Plan& plan, long long repetitions, ExampleContext& context) {
    row.more.emplace_back("repetition_seconds", row.seconds / double(repetitions));
    // Less than that fits in caches, and takes as long as starting it.
    if (row.seconds <= 0 || plan.values_moved() < 1e6) return;
    const double per_second = double(repetitions) / row.seconds;
    const Rate bytes{plan.values_moved() * double(bytes_of(row.dtype)) * per_second * 1e-9,
                     "GB/s",
                     context.copy_gb_per_s(row.backend),
                     "copy, measured"};
    const Rate flops{plan.flops() * per_second * 1e-12,
                     "TFLOP/s",
                     context.tflops(row.backend, row.dtype),
                     "fused multiply-adds, measured"};
    row.rates = {bytes, flops};
    if (flops.value / flops.limit > bytes.value / bytes.limit) std::swap(row.rates[0], row.rates[1]);
}

template <class T>
ErrorNorms error_norms(std::span<const T> result, std::span<const double> reference) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double off = double(result[i]) - reference[i];
        error += off * off;
        norm += reference[i] * reference[i];
    }
    return {std::sqrt(error), std::sqrt(norm)};
}

template <class T>
DirectCheck<T>::DirectCheck(const Contraction& contraction,
                            std::span<const T* const> operands,
                            ExampleContext& context) {
    values_ = 1;
    for (const std::int64_t n : contraction.output_shape()) values_ *= n;
    const double terms = std::max(1.0, direct_terms(contraction));
    const auto count = std::int64_t(std::min({kMaxTerms / terms, double(kMaxChecked), double(values_)}));
    Random random(1);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = count == values_ ? i : std::int64_t(random.next_double() * double(values_));
        truth_.emplace_back(at, double(direct_value(contraction, operands, at)));
        context.pause();
    }
}

template <class T>
double DirectCheck<T>::error(std::span<const T> result) const {
    if (truth_.empty()) return values_ == 0 ? 0 : kNotMeasured;
    std::vector<T> some;
    std::vector<double> reference;
    for (const auto& [place, value] : truth_) {
        some.push_back(result[std::size_t(place)]);
        reference.push_back(value);
    }
    return error_norms<T>(some, reference).relative();
}

template <class T>
std::string DirectCheck<T>::text() const {
    if (truth_.empty()) return values_ == 0 ? "no values" : "a direct loop would take too long";
    return fmt::format("{} of {} values against a direct loop in extended precision", truth_.size(), values_);
}

template ErrorNorms error_norms(std::span<const float>, std::span<const double>);
template ErrorNorms error_norms(std::span<const double>, std::span<const double>);
template class DirectCheck<float>;
template class DirectCheck<double>;

}  // namespace stencil::einsum
