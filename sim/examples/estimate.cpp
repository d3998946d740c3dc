#include "sim/examples/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/examples/context.h"
#include "sim/machine/machine.h"
#include "sim/machine/roofline.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Slower than any CPU that runs this program.
constexpr CpuRates kSlowest{2e9, {2e9, 2e9}};
constexpr double kShortSeconds = 4;  // of sized_for()

// Returns the share of a number, with two digits.
std::string scaled(std::string_view digits, double share) {
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    value = std::max(1.0, share * value);
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 1));
    return fmt::format("{:.0f}", unit * std::floor(value / unit));
}

// Scales every whole number in the text, such as both of "i=100,j=200".
std::string with_scaled_numbers(std::string_view text, double share) {
    constexpr std::string_view kDigits = "0123456789";
    std::string result;
    while (!text.empty()) {
        const std::size_t begin = std::min(text.find_first_of(kDigits), text.size());
        const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
        result += text.substr(0, begin);
        if (begin < end) result += scaled(text.substr(begin, end - begin), share);
        text.remove_prefix(end);
    }
    return result;
}

ExampleRequest with_sizes(const ExampleRequest& request, double share) {
    ExampleRequest smaller = request;
    for (const std::string_view name : request.example->sizes) {
        const ExampleOption& option = request.options.find(name);
        if (!option.replaced_by.empty() && request.options.given(option.replaced_by)) continue;
        const std::string text = option.kind == ExampleOption::Kind::integer
                                     ? std::to_string(request.options.integer(name))
                                     : request.options.text(name);
        if (!text.empty()) smaller.options.set(name, with_scaled_numbers(text, share));
    }
    return smaller;
}

}  // namespace

CpuRates measure_cpu_rates(int threads) {
    const int count = thread_count(threads, query_machine().cpu_threads);
    CpuRates rates{1e9 * measure_copy_bandwidth(Device::cpu, count)};
    for (const DType dtype : {DType::float32, DType::float64})
        rates.operations_per_s[std::size_t(dtype)] = 2 * measure_issue_rate(Device::cpu, dtype, count);
    return rates;
}

double estimated_seconds(const ExampleRequest& request, const CpuRates& rates) {
    if (!request.example->work || !request.on_cpu()) return 0;
    double sum = 0;
    for (const DType dtype : request.dtypes()) {
        for (const ExampleWork& work : request.example->work(request, dtype)) {
            const double once =
                work.operations / rates.operations_per_s[std::size_t(dtype)] + work.bytes / rates.bytes_per_s;
            const int repeats = request.repeats() > 0 ? request.repeats() : sensible_repeats(once);
            sum += once * (repeats == 1 ? 1 : repeats + 1) + work.prepared;
        }
    }
    return sum;
}

bool may_be_long(const ExampleRequest& request) {
    return estimated_seconds(request, kSlowest) > kLongSeconds;
}

ExampleRequest sized_for(const ExampleRequest& request, const CpuRates& rates) {
    constexpr double kStep = 0.9, kLeast = 1e-6;
    try {
        ExampleRequest smaller = request;
        for (double share = kStep; share > kLeast && estimated_seconds(smaller, rates) > kShortSeconds;
             share *= kStep)
            smaller = with_sizes(request, share);
        smaller.example->check(smaller);
        // Other options may make it long.
        if (estimated_seconds(smaller, rates) < kLongSeconds) return smaller;
    } catch (const InputError&) {
        // An option allows no smaller size.
    }
    return request;
}

std::string estimate_text(double seconds) {
    constexpr double kMinute = 60, kHour = 3600;
    const auto [unit, name] = seconds < 1.5 * kMinute ? std::pair(1.0, "s")
                              : seconds < 1.5 * kHour ? std::pair(kMinute, "min")
                                                      : std::pair(kHour, "h");
    // Estimates have no third digit.
    const double count = seconds / unit,
                 round = std::pow(10, std::floor(std::log10(std::max(count, 1.0))) - 1);
    return fmt::format(
        "about {:.0f} {} on this CPU", round < 1 ? count : round * std::round(count / round), name);
}

}  // namespace stencil
