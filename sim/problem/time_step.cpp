#include "sim/problem/time_step.h"

#include <fmt/format.h>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kFollow = "follow:", kLimit = "limit", kTolerance = "tolerance:";

// The parts of [NUMBER,]follow:[SHARE]limit, [NUMBER,]tolerance:T, [SHARE]limit or NUMBER.
struct TimeStepParts {
    std::string_view dt, share, tolerance;
    bool follows = false, of_limit = false, of_error = false;
};

TimeStepParts parts_of(std::string_view text) {
    TimeStepParts parts;
    const auto begins = [text](std::size_t word) {
        return word == 0 || (word != text.npos && text[word - 1] == ',');
    };
    if (const std::size_t word = text.find(kTolerance); begins(word)) {
        parts.follows = parts.of_error = true;
        parts.tolerance = text.substr(word + kTolerance.size());
        if (word > 0) parts.dt = text.substr(0, word - 1);
        return parts;
    }
    const std::size_t follow = text.find(kFollow);
    parts.follows = begins(follow);
    const std::string_view share = parts.follows ? text.substr(follow + kFollow.size()) : text;
    parts.of_limit = share.ends_with(kLimit);
    if (parts.of_limit) parts.share = share.substr(0, share.size() - kLimit.size());
    if (!parts.of_limit && !parts.follows) parts.dt = text;
    if (parts.follows && follow > 0) parts.dt = text.substr(0, follow - 1);
    return parts;
}

}  // namespace

TimeStep read_time_step(std::string_view text) {
    const TimeStepParts parts = parts_of(text);
    TimeStep step{read_real(parts.dt), {}, {}, parts.follows && parts.of_limit};
    if (parts.of_error) {
        step.tolerance = read_real(parts.tolerance);
        step.follows = step.tolerance.has_value();
    }
    if (parts.of_limit) step.share = parts.share.empty() ? 1 : read_real(parts.share);
    return step;
}

std::string checked_time_step(std::string_view text) {
    const TimeStepParts parts = parts_of(text);
    const auto refuse = [&] {
        throw InputError("--dt {}: must be above 0, e.g. 0.01, 0.8limit or follow:0.8limit", quotable(text));
    };
    const auto above_zero = [&](std::string_view number) {
        double value = 0;
        try {
            value = parse_real(number, "--dt");
        } catch (const InputError&) {
            refuse();
        }
        if (value <= 0) refuse();
        return read_real(number) ? std::string(number) : format_real(value);
    };
    if (parts.follows && !parts.of_limit && !parts.of_error) refuse();
    if (!parts.of_limit && !parts.of_error) return above_zero(parts.dt);
    const std::string dt = parts.dt.empty() ? "" : above_zero(parts.dt) + ",";
    if (parts.of_error) return fmt::format("{}{}{}", dt, kTolerance, above_zero(parts.tolerance));
    const std::string share = parts.share.empty() ? "" : above_zero(parts.share);
    return fmt::format("{}{}{}{}", dt, parts.follows ? kFollow : "", share, kLimit);
}

std::string asked_time_step(const std::string& text) {
    return read_time_step(text).decided() ? text.substr(text.find(',') + 1) : text;
}

std::string fixed_time_step(const std::string& text) {
    return std::string(read_time_step(text).decided() ? parts_of(text).dt : text);
}

}  // namespace stencil
