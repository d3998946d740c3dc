#include "sim/model/time_step.h"

#include <fmt/format.h>

#include <type_traits>

#include "sim/model/text/typed_number.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kFollow = "follow:", kLimit = "limit", kTolerance = "tolerance:";

// Whether values of this alternative of TimeStep have a member dt.
template <class Step>
constexpr bool kHasDt = requires(Step step) {
    step.dt;
};

// Whether the run changes the dt of this alternative.
template <class Step>
constexpr bool kAdaptive = kHasDt<Step> && !std::is_same_v<Step, FixedStep>;

std::string present_dt(double dt) {
    return dt > 0 ? format_real(dt) + "," : "";
}

std::string share_text(double share) {
    return share == 1 ? "" : format_real(share);
}

}  // namespace

double dt_of(const TimeStep& step) {
    return std::visit(
        []<class Step>(const Step& s) {
            if constexpr (kHasDt<Step>) return s.dt;
            return 0.0;
        },
        step);
}

TimeStep with_dt(const TimeStep& step, double dt) {
    return std::visit(
        [dt]<class Step>(Step s) -> TimeStep {
            if constexpr (!kAdaptive<Step>)
                return FixedStep{dt};
            else {
                s.dt = dt;
                return s;
            }
        },
        step);
}

bool is_adaptive(const TimeStep& step) {
    return std::visit([]<class Step>(const Step&) { return kAdaptive<Step>; }, step);
}

TimeStep undecided(const TimeStep& step) {
    return is_adaptive(step) ? with_dt(step, 0) : step;
}

TimeStep parse_time_step(std::string_view text) {
    const auto above_zero = [&](std::string_view number) {
        if (const double value = equation::typed_number(number).value_or(0); value > 0) return value;
        throw InputError(Given{"dt", quotable(text)},
                         "must be above 0, e.g. 0.01, 0.8limit or follow:0.8limit");
    };
    const auto share_of = [&](std::string_view part) {
        part = part.substr(0, part.size() - kLimit.size());
        return part.empty() ? 1 : above_zero(part);
    };
    const std::size_t comma = text.find(',');
    const std::string_view rule = comma == text.npos ? text : text.substr(comma + 1);
    const auto present = [&] { return comma == text.npos ? 0 : above_zero(text.substr(0, comma)); };
    if (rule.starts_with(kTolerance))
        return ByTolerance{above_zero(rule.substr(kTolerance.size())), present()};
    if (rule.starts_with(kFollow) && rule.ends_with(kLimit))
        return FollowLimit{share_of(rule.substr(kFollow.size())), present()};
    if (text.ends_with(kLimit)) return ShareOfLimit{share_of(text)};
    return FixedStep{above_zero(text)};
}

std::string to_string(const TimeStep& step) {
    struct Writer {
        std::string operator()(UsualStep) const { return ""; }
        std::string operator()(FixedStep s) const { return format_real(s.dt); }
        std::string operator()(ShareOfLimit s) const { return share_text(s.share) + std::string(kLimit); }
        std::string operator()(FollowLimit s) const {
            return fmt::format("{}{}{}{}", present_dt(s.dt), kFollow, share_text(s.share), kLimit);
        }
        std::string operator()(ByTolerance s) const {
            return fmt::format("{}{}{}", present_dt(s.dt), kTolerance, format_real(s.tolerance));
        }
    };
    return std::visit(Writer{}, step);
}

}  // namespace stencil
