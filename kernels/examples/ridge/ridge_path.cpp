#include "kernels/examples/ridge/ridge_path.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

constexpr int kStepsAtOnce = 16;
constexpr std::int64_t kAlwaysTested = 32;  // steps after which |x| is found only now and then

// One coefficient on its way.
class Watch {
  public:
    Watch(double c, const Bidiagonal& b, const RidgeRule& rule)
        : rule_(rule),
          certified_(rule.certified && c > 0),
          lsmr_(c, b.alpha[0], b.beta[0]),
          xi_(b.dominant_part(c)) {}

    RidgeStop step(double beta, double alpha) {
        lsmr_.step(beta, alpha);
        if (first_ == 0) first_ = lsmr_.gradient();
        if (lsmr_.gradient() == 0) return RidgeStop::exact;
        return certified_ ? certificate() : tests();
    }

    // Roughly, by how far the gradient has fallen.
    double share() const {
        if (first_ == 0 || lsmr_.gradient() == 0) return 0;
        const double aim = certified_ ? rule_.tolerance * lsmr_.c() * lsmr_.c() * std::max(solution_, 1e-300)
                                      : rule_.lsmr.atol * first_;
        return std::clamp(std::log(lsmr_.gradient() / first_) / std::log(aim / first_), 0.0, 1.0);
    }

  private:
    // |x| grows from step to step, so that an old one errs on the safe side in `certificate` and is doubled
    // where it might not.
    double solution() {
        double sum = xi_ * xi_;
        for (const double y : lsmr_.solve()) sum += y * y;
        return solution_ = std::sqrt(sum);
    }
    bool due() const { return lsmr_.iterations() <= kAlwaysTested || lsmr_.iterations() % kStepsAtOnce == 0; }

    RidgeStop certificate() {
        if (due()) solution();
        const double c2 = lsmr_.c() * lsmr_.c();
        if (lsmr_.gradient() <= rule_.tolerance * c2 * solution_) return RidgeStop::certificate;
        return lsmr_.at_rounding(solution_) ? RidgeStop::rounding : RidgeStop::none;
    }

    RidgeStop tests() {
        if (due() || lsmr_.may_be_compatible(rule_.lsmr, 2 * solution_)) solution();
        return lsmr_.tested(rule_.lsmr, solution_);
    }

    const RidgeRule& rule_;
    bool certified_;
    Lsmr lsmr_;
    double xi_;
    double solution_ = 0;
    double first_ = 0;
};

}  // namespace

std::vector<RidgePoint> solve_ridge_path(GolubKahan& process,
                                         std::span<const double> d,
                                         std::span<const double> coefficients,
                                         const RidgeRule& rule,
                                         const std::function<void(double)>& go_on) {
    // Without the dominant value LSMR's own tests would hold other norms against each other.
    const bool take_out =
        rule.certified && std::ranges::none_of(coefficients, [](double c) { return c == 0; });
    process.start(d, take_out);
    const Bidiagonal& b = process.bidiagonal();
    std::vector<RidgePoint> points;
    std::vector<Watch> watches;
    for (const double c : coefficients) {
        points.push_back({c, 0, b.trivial() ? RidgeStop::exact : RidgeStop::none, {}});
        if (!b.trivial()) watches.emplace_back(c, b, rule);
    }
    const auto under_way = [](const RidgePoint& point) { return point.stop == RidgeStop::none; };
    std::int64_t seen = 0;
    while (std::ranges::any_of(points, under_way)) {
        const std::int64_t left = std::min(rule.most_steps, process.capacity()) - b.steps();
        if (left <= 0 || process.ended()) {
            const RidgeStop why = process.ended() ? RidgeStop::exact : RidgeStop::iterations;
            for (RidgePoint& point : points)
                if (under_way(point)) point.stop = why;
            break;
        }
        process.advance(int(std::min<std::int64_t>(left, kStepsAtOnce)));
        for (; seen < b.steps() && std::ranges::any_of(points, under_way); ++seen)
            for (std::size_t i = 0; i < points.size(); ++i) {
                if (!under_way(points[i])) continue;
                points[i].stop =
                    watches[i].step(b.beta[std::size_t(seen) + 1], b.alpha[std::size_t(seen) + 1]);
                points[i].iterations = seen + 1;
            }
        double least = 1;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (under_way(points[i])) least = std::min(least, watches[i].share());
        go_on(least);
    }
    for (RidgePoint& point : points) point.projected = b.solve(point.c, seen);
    return points;
}

}  // namespace stencil
