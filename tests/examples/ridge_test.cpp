#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/ridge/dense_ridge.h"
#include "kernels/examples/ridge/dense_svd.h"
#include "sim/examples/ridge/l_curve.h"
#include "tests/support/catch.h"
#include "tests/support/examples/ridge_problems.h"

using namespace stencil::ridge;

namespace {

template <class T>
PathSolution cpu_path(const SparseMatrix<T>& a,
                      std::span<const double> d,
                      std::span<const double> coefficients = kTenCoefficients,
                      const RidgeRule& rule = {}) {
    ThreadPool threads(2);
    const SparseMatrix<T> back = transposed(a);
    const auto vectors = make_cpu_lsmr(a, back, coefficients.size(), threads);
    return solve_path(*vectors, d, coefficients, rule, std::size_t(a.columns));
}

template <class T>
std::vector<double> product(const SparseMatrix<T>& a, std::span<const double> x, int threads) {
    ThreadPool pool(threads);
    std::vector<double> y(std::size_t(a.rows), std::numeric_limits<double>::quiet_NaN());
    multiply(a, x.data(), y.data(), pool);
    return y;
}

std::vector<double> plain_product(const Eigen::MatrixXd& a, std::span<const double> x) {
    return values_of(a * Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(x.size())));
}

struct Shape {
    int rows, columns;
    double density;
};

template <class T>
void require_path_is_right(const SparseMatrix<T>& a, std::span<const double> d) {
    const Eigen::MatrixXd matrix = dense(a);
    const PathSolution path = cpu_path(a, d);
    for (std::size_t i = 0; i < path.points.size(); ++i) {
        const double c = path.points[i].c;
        const std::vector<double> truth = dense_solution(matrix, d, c);
        CAPTURE(a.rows, a.columns, c, path.points[i].iterations, name_of(path.points[i].stop));
        REQUIRE(path.points[i].stop != RidgeStop::iterations);
        REQUIRE(distance(path.x[i], truth) <= 1e-6 * norm(truth) + 1e-300);
        std::vector<double> residual = plain_product(matrix, truth);
        for (std::size_t k = 0; k < residual.size(); ++k) residual[k] -= d[k];
        const Bidiagonal::Norms norms = path.bidiagonal.norms_at(c);
        REQUIRE(norms.residual == Approx(norm(residual)).epsilon(1e-6).margin(1e-12));
        REQUIRE(norms.solution == Approx(norm(truth)).epsilon(2e-6).margin(1e-300));
    }
}

std::vector<CurvePoint> checked(const PathSolution& path,
                                SolutionChecker<float>& checker,
                                std::span<const double> d) {
    std::vector<CurvePoint> points;
    for (std::size_t i = 0; i < path.x.size(); ++i) {
        const SolutionCheck check = checker.check(path.x[i], d, path.points[i].c);
        points.push_back({path.points[i].c, check.residual, check.solution, check.broadcast, check.bound});
    }
    return points;
}

NormsAt norms_of(const PathSolution& path) {
    return [&](double c) { return path.bidiagonal.norms_at(c); };
}

}  // namespace

TEST_CASE("Sparse products on the CPU are those of a dense matrix, and the same bits with any threads") {
    Dice random;
    for (const Shape shape :
         {Shape{203, 317, 0.2}, {61, 9001, 0.1}, {7, 70001, 0.01}, {1, 50, 0.5}, {50, 1, 0.5}}) {
        const auto a = random_sparse<float>(random, shape.rows, shape.columns, shape.density, -1);
        const auto wide = random_sparse<double>(random, shape.rows, shape.columns, shape.density, -1);
        const std::vector<double> x = random_vector(random, shape.columns);
        CAPTURE(shape.rows, shape.columns);
        const std::vector<double> right = plain_product(dense(a), x),
                                  right_wide = plain_product(dense(wide), x);
        REQUIRE(distance(product(a, x, 1), right) <= 1e-14 * (norm(right) + 1));
        REQUIRE(distance(product(wide, x, 2), right_wide) <= 1e-14 * (norm(right_wide) + 1));
        REQUIRE(product(a, x, 1) == product(a, x, 3));
    }
}

TEST_CASE("LSMR solves the ridge problem for every coefficient at once") {
    Dice random;
    for (const Shape shape :
         {Shape{300, 300, 0.1}, {150, 87, 0.2}, {87, 150, 0.2}, {1, 40, 0.5}, {40, 1, 0.5}, {1, 1, 1}}) {
        require_path_is_right(random_sparse<float>(random, shape.rows, shape.columns, shape.density),
                              random_vector(random, shape.rows, 3));
        require_path_is_right(random_sparse<double>(random, shape.rows, shape.columns, shape.density, -1),
                              random_vector(random, shape.rows));
    }
}

TEST_CASE("Empty rows and columns, repeated columns and few singular values are no trouble") {
    Dice random;
    auto a = random_sparse<double>(random, 60, 50, 0.03, -1);
    require_path_is_right(a, random_vector(random, 60, 3));
    require_path_is_right(sparse(2 * Eigen::MatrixXd::Identity(40, 40)), random_vector(random, 40));
    const Eigen::MatrixXd repeated = dense(random_sparse<double>(random, 30, 5, 1));
    require_path_is_right(sparse(repeated.replicate(1, 2)), random_vector(random, 30, 1));
}

TEST_CASE("Without data or without a matrix the solution is 0") {
    Dice random;
    const auto a = random_sparse<float>(random, 20, 30, 0.3);
    const auto nothing = sparse<float>(Eigen::MatrixXd::Zero(20, 30));
    const std::vector<double> d = random_vector(random, 20), zero(20, 0.0);
    for (const PathSolution& path : {cpu_path(a, zero), cpu_path(nothing, d), cpu_path(nothing, zero)})
        for (std::size_t i = 0; i < path.points.size(); ++i) {
            REQUIRE(path.points[i].stop == RidgeStop::exact);
            REQUIRE(norm(path.x[i]) == 0);
            REQUIRE(path.bidiagonal.norms_at(path.points[i].c).solution == 0);
        }
    REQUIRE(cpu_path(nothing, d).bidiagonal.norms_at(1).residual == Approx(norm(d)));
}

TEST_CASE("The certificate bounds the error, also where it is loose") {
    Dice random;
    const auto a = random_sparse<double>(random, 250, 250, 0.1);
    const std::vector<double> d = random_vector(random, 250, 3);
    ThreadPool threads(1);
    SolutionChecker<double> checker(a, threads);
    RidgeRule rule;
    rule.tolerance = 0.05;
    const PathSolution path = cpu_path(a, d, std::vector<double>{0.05}, rule);
    const std::vector<double> truth = dense_solution(dense(a), d, 0.05);
    const SolutionCheck check = checker.check(path.x[0], d, 0.05);
    REQUIRE(path.points[0].stop == RidgeStop::certificate);
    REQUIRE(check.bound <= 0.051);
    REQUIRE(distance(path.x[0], truth) > 1e-9 * norm(truth));
    REQUIRE(distance(path.x[0], truth) <= check.bound * norm(path.x[0]));
    REQUIRE(check.gradient == Approx(path.points[0].gradient).epsilon(1e-6));
}

TEST_CASE("A singular value far above the others costs steps, but no accuracy") {
    Dice random;
    // Positive numbers: one singular value of about 300, the others below 6.
    const auto a = random_sparse<float>(random, 400, 400, 1, 0.5);
    const std::vector<double> d = random_vector(random, 400, 3);
    const Eigen::MatrixXd matrix = dense(a);
    const std::vector<double> singular = singular_values(matrix);
    REQUIRE(singular[0] > 10 * singular[1]);
    ThreadPool threads(1);
    SolutionChecker<float> checker(a, threads);
    const PathSolution path = cpu_path(a, d);
    for (std::size_t i = 0; i < path.x.size(); ++i) {
        const double c = path.points[i].c;
        CAPTURE(c, path.points[i].iterations);
        REQUIRE(path.points[i].stop == RidgeStop::certificate);
        REQUIRE(checker.check(path.x[i], d, c).bound <= 1.01e-6);
        const std::vector<double> truth = dense_solution(matrix, d, c);
        REQUIRE(distance(path.x[i], truth) <= 1.01e-6 * norm(truth));
    }
}

TEST_CASE("Without regularisation the least-squares solution is found, of full rank or not") {
    Dice random;
    RidgeRule rule;
    rule.tolerance = 1e-9;
    for (const Shape shape : {Shape{60, 30, 0.5}, {30, 60, 0.5}}) {
        const auto a = random_sparse<double>(random, shape.rows, shape.columns, shape.density, -1);
        const std::vector<double> d = random_vector(random, shape.rows);
        const PathSolution path = cpu_path(a, d, std::vector<double>{0}, rule);
        const std::vector<double> truth = least_squares(dense(a), d);
        CAPTURE(shape.rows, name_of(path.points[0].stop));
        REQUIRE(distance(path.x[0], truth) <= 1e-8 * norm(truth));
    }
}

TEST_CASE("Where rounding is above what a certificate asks for, LSMR ends and claims none") {
    Dice random;
    SparseMatrix<double> a = random_sparse<double>(random, 40, 40, 0.5, -1);
    const std::vector<double> d = random_vector(random, 40);
    const PathSolution path = cpu_path(a, d, std::vector<double>{1e-9});
    CAPTURE(name_of(path.points[0].stop));
    REQUIRE((path.points[0].stop == RidgeStop::rounding || path.points[0].stop == RidgeStop::exact));
    const Eigen::MatrixXd matrix = dense(a);
    const std::vector<double> truth = least_squares(matrix, d);
    const std::vector<double> singular = singular_values(matrix);
    const double condition = singular[0] / singular[39];
    REQUIRE(distance(path.x[0], truth) <= 1e-14 * condition * condition * norm(truth));
}

TEST_CASE("LSMR is the same to the last bit every time, with any number of threads") {
    Dice random;
    const auto a = random_sparse<float>(random, 500, 400, 0.3);
    const std::vector<double> d = random_vector(random, 500, 3);
    std::vector<PathSolution> paths;
    for (const int count : {1, 3}) {
        ThreadPool threads(count);
        const SparseMatrix<float> back = transposed(a);
        const auto vectors = make_cpu_lsmr(a, back, kTenCoefficients.size(), threads);
        for (int twice = 0; twice < 2; ++twice)
            paths.push_back(solve_path(*vectors, d, kTenCoefficients, {}, 400));
    }
    for (const PathSolution& path : paths) {
        REQUIRE(path.x == paths[0].x);
        REQUIRE(path.bidiagonal.alpha == paths[0].bidiagonal.alpha);
    }
}

TEST_CASE("After the most steps that are allowed LSMR ends, and says which coefficients are not done") {
    Dice random;
    const auto a = random_sparse<float>(random, 200, 200, 0.1);
    RidgeRule rule;
    rule.most_steps = 10;
    const PathSolution path = cpu_path(a, random_vector(random, 200, 3), kTenCoefficients, rule);
    REQUIRE(path.points.front().stop == RidgeStop::iterations);
    REQUIRE(path.bidiagonal.steps() == 10);
    REQUIRE(path.points.back().stop == RidgeStop::certificate);
}

TEST_CASE("The line of the L-curve passes the solved points, and its corner is marked once") {
    Dice random;
    const auto a = random_sparse<float>(random, 150, 150, 0.1);
    const std::vector<double> d = random_vector(random, 150, 3);
    ThreadPool threads(1);
    SolutionChecker<float> checker(a, threads);
    const PathSolution path = cpu_path(a, d);
    const std::vector<CurvePoint> points = checked(path, checker, d);
    for (const CurvePoint& point : points) {
        const Bidiagonal::Norms at = path.bidiagonal.norms_at(point.c);
        REQUIRE(at.residual == Approx(point.residual).epsilon(1e-6));
        REQUIRE(at.solution == Approx(point.solution).epsilon(1e-6));
    }
    const auto marked = [&](double corner) {
        const ReportCurve curve = l_curve(norms_of(path), points, range_of(points), corner);
        const std::vector<ReportPoint>& line = curve.series.front().points;
        REQUIRE(line.front().x == Approx(points.front().residual).epsilon(1e-6));
        REQUIRE(line.back().y == Approx(points.back().solution).epsilon(1e-6));
        REQUIRE(line.front().note == "c: 0.1");
        REQUIRE(curve.series.back().dashed);
        int corners = 0, labelled = 0;
        for (const ReportSeries& series : curve.series)
            for (const ReportPoint& point : series.points) {
                corners += point.marked ? 1 : 0;
                labelled += point.label.empty() ? 0 : 1;
            }
        REQUIRE(labelled == 10);
        return corners;
    };
    REQUIRE(marked(0) == 0);
    REQUIRE(marked(7) == 1);
    REQUIRE(marked(0.05) == 0);  // outside of what was solved
    REQUIRE(l_curve(norms_of(path), {points.data(), 1}, {}, 0).series.size() == 2);
}

TEST_CASE("The corner of an L-curve with two levels of singular values lies between them") {
    // d has equal components along singular values 1 and 1e-4, so x is large only for c below the latter.
    SparseMatrix<double> a{2, 2, {0, 1, 2}, {0, 1}, {1, 1e-4}};
    const PathSolution path = cpu_path(a, std::vector<double>{1, 1e-3}, std::vector<double>{1e-6, 1e2});
    const double corner = corner_of(norms_of(path), 1e-6, 1e2);
    CAPTURE(corner);
    REQUIRE(corner > 1e-5);
    REQUIRE(corner < 1);
    // It is found a little beyond the ends, but not far.
    REQUIRE(corner_of(norms_of(path), 1e-6, 0.5 * corner) == Approx(corner).epsilon(0.2));
    REQUIRE(corner_of(norms_of(path), 2 * corner, 1e2) == Approx(corner).epsilon(0.2));
    REQUIRE(corner_of(norms_of(path), 1e-6, 1e-3 * corner) == 0);
}

TEST_CASE("What the tutorial plots is the norm of a matrix of all differences") {
    Dice random;
    const auto a = random_sparse<double>(random, 37, 23, 0.3, -1);
    const std::vector<double> d = random_vector(random, 37, 3), x = random_vector(random, 23);
    ThreadPool threads(1);
    const SolutionCheck check = SolutionChecker<double>(a, threads).check(x, d, 0.5);
    const std::vector<double> image = plain_product(dense(a), x);
    double sum = 0;
    for (const double y : image)
        for (const double value : d) sum += (y - value) * (y - value);
    REQUIRE(check.broadcast == Approx(std::sqrt(sum)));
    REQUIRE(check.residual == Approx(distance(image, d)));
}

TEST_CASE("Solutions by singular values are right where normal equations in float64 are not") {
    Dice random;
    // Singular values from 1 to 1e-10.
    constexpr int n = 12;
    Eigen::MatrixXd values = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) values(i, i) = std::pow(10.0, -10.0 * i / (n - 1));
    const auto rotation = [&] {
        const std::vector<double> w = random_vector(random, n);
        const Eigen::Map<const Eigen::VectorXd> axis(w.data(), n);
        return Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n) -
                               2 * axis * axis.transpose() / axis.squaredNorm());
    };
    const Eigen::MatrixXd matrix = rotation() * values * rotation();
    const std::vector<double> d = random_vector(random, n);
    ThreadPool threads(2);
    const SparseMatrix<double> hard = sparse(matrix);
    const DenseSvd<Wide> svd(hard, d, threads, [] {});
    const DenseSvd<double> narrow(hard, d, threads, [] {});
    SolutionChecker<double> checker(hard, threads);
    for (const double c : {1e-9, 1e-6, 0.1, 10.0}) {
        const std::vector<Wide> wide = svd.solve(c);
        const std::vector<double> x(wide.begin(), wide.end());
        const std::vector<double> truth = dense_solution(matrix, d, c);  // by QR
        CAPTURE(c);
        REQUIRE(relative_error(x, truth) < 1e-13 * (1 + 1 / c) * (1 + 1 / c));
        REQUIRE(checker.check(x, d, c).bound < 1e-15 * (1 + 1 / c) * (1 + 1 / c));
        // In float64 refinement makes up for it.
        std::vector<Wide> refined = narrow.solve(c);
        const double error = refine(
            refined,
            [&](auto y) { return checker.gradient(y, d, c); },
            [&](auto g) { return narrow.apply_inverse(g, c); });
        REQUIRE(error < 1e-12);
        REQUIRE(relative_error(std::vector<double>(refined.begin(), refined.end()), x) < 1e-12);
        const Bidiagonal::Norms norms = svd.norms_at(c);
        REQUIRE(norms.solution == Approx(norm(x)));
        REQUIRE(norms.residual == Approx(distance(plain_product(matrix, x), d)).epsilon(1e-6));
    }
    // Of equal columns each has the same share: all values are the mean over 5 rows, times 100 / (100 + c^2).
    const std::vector<double> data{1, 2, 3, 4, 5};
    const DenseSvd<Wide> ones(sparse(Eigen::MatrixXd::Ones(5, 20)), data, threads, [] {});
    for (const double c : {0.0, 1e-40, 1e-9}) {
        REQUIRE(ones.rank(c) >= 1);
        REQUIRE(ones.has_clear_rank(c));
        for (const Wide value : ones.solve(c)) REQUIRE(double(value) == Approx(15.0 / 100).epsilon(1e-9));
    }
}

TEST_CASE("The dense normal equations agree with Eigen") {
    Dice random;
    for (const Shape shape : {Shape{90, 60, 0.3}, {60, 90, 0.3}}) {
        const auto a = random_sparse<float>(random, shape.rows, shape.columns, shape.density, -1);
        const std::vector<double> d = random_vector(random, shape.rows);
        const DenseRidge direct = make_cpu_dense_ridge(a, 2);
        direct.form();
        REQUIRE(direct.factor(0.7));
        const std::vector<double> x = direct.apply(product(transposed(a), d, 1));
        const std::vector<double> truth = dense_solution(dense(a), d, 0.7);
        REQUIRE(distance(x, truth) <= 1e-11 * norm(truth));
    }
    const auto singular = random_sparse<float>(random, 5, 20, 0.5);
    const DenseRidge direct = make_cpu_dense_ridge(singular, 1);
    direct.form();
    REQUIRE_FALSE(direct.factor(1e-30));
}
