// Input and output of the ridge example.

#include "kernels/cpu/thread_pool.h"
#include "sim/examples/ridge/l_curve.h"
#include "sim/examples/ridge/problem.h"
#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "sim/text/shell_words.h"
#include "tests/support/catch.h"
#include "tests/support/examples/ridge_problems.h"
#include "tests/support/program.h"

using namespace stencil::ridge;

TEST_CASE("A random matrix has exactly as many nonzeros as asked for, spread evenly") {
    for (const double density : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        const RandomProblem problem{211, 173, density, 7};
        const auto a = random_matrix<float>(problem, [] {});
        CAPTURE(density);
        REQUIRE(a.nonzeros() == std::llround(density * 211 * 173));
        REQUIRE(a.start.size() == 212);
        std::int64_t upper = 0;
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (auto k = std::size_t(a.start[std::size_t(i)]); k < std::size_t(a.start[std::size_t(i) + 1]);
                 ++k) {
                REQUIRE(a.column[k] < 173);
                if (k > std::size_t(a.start[std::size_t(i)])) REQUIRE(a.column[k - 1] < a.column[k]);
                REQUIRE((a.value[k] >= 0 && a.value[k] < 1));
                upper += i < 105 ? 1 : 0;
            }
        const double share = density * 105 * 173;
        REQUIRE(std::abs(double(upper) - share) <= 6 * std::sqrt(share + 1));
    }
    const std::vector<double> d = stencil::ridge::random_data({100000, 1, 0, 5}, [] {});
    double mean = 0, square = 0;
    for (const double value : d) {
        mean += value / double(d.size());
        square += (value - 3) * (value - 3) / double(d.size());
    }
    REQUIRE(mean == Approx(3).margin(0.02));
    REQUIRE(square == Approx(1).margin(0.03));
}

TEST_CASE("Coefficients are ranges or lists, and what is neither is refused") {
    const std::vector<double> range = parse_coefficients("0.1:1000:5");
    REQUIRE(range.size() == 5);
    for (int i = 0; i < 5; ++i) REQUIRE(range[std::size_t(i)] == Approx(std::pow(10, i - 1)));
    REQUIRE(parse_coefficients("3,0,1.5") == std::vector<double>{0, 1.5, 3});
    for (const std::string& text :
         items(" | 1:2 | 0:1:5 | 2:1:5 | 1:2:1 | 1:2:3:4 | -1 | 1,1 | 1,x | nan | 1:2:9999 | 1e-310 | "
               "1e301 | 1e-310:1:3"))
        REQUIRE_FALSE(message_of<InputError>([&] { parse_coefficients(text); }).empty());
}

TEST_CASE("example ridge solves a problem from files and writes its solutions") {
    Dice random;
    const ScratchFolder folder;
    const auto a = random_sparse<double>(random, 35, 28, 0.4, -1);
    const std::string matrix = write_matrix_market(folder / "a.mtx", a).string();
    const std::vector<double> d = random_vector(random, 35);
    const std::string rhs = (folder / "d.npy").string(), out = (folder / "out").string();
    write_npy_array(rhs, {{35, 1}, d});
    const std::string solve = fmt::format("example ridge --matrix {} --rhs {} --backend cpu ", matrix, rhs);
    const auto run = [](const std::string& words) { return run_program(shell_words(words)); };
    const ProgramResult result = run(solve + "--coefficients 0.3,2 --tolerance 1e-12 --out " + out);
    CAPTURE(result.err, result.out);
    REQUIRE(result.status == 0);
    const NpyArray solutions = read_npy_array(out + "/solutions.npy", DType::float64);
    REQUIRE(solutions.shape == std::vector<std::int64_t>{2, 28});
    const auto& x = std::get<std::vector<double>>(solutions.values);
    for (int i = 0; i < 2; ++i) {
        const std::vector<double> truth = dense_solution(dense(a), d, i == 0 ? 0.3 : 2);
        REQUIRE(distance({x.data() + 28 * i, 28}, truth) <= 1e-11 * norm(truth));
    }
    std::filesystem::remove(out + "/solutions.npy");
    const auto with = [&](const std::string& coefficients) {
        return run(solve + "--methods cholesky --quiet --repeats 1 --out " + out + " --coefficients " +
                   coefficients);
    };
    REQUIRE(with("0.7").status == 0);
    const NpyArray only = read_npy_array(out + "/solutions.npy", DType::float64);
    REQUIRE(only.shape == std::vector<std::int64_t>{1, 28});
    const std::vector<double> truth = dense_solution(dense(a), d, 0.7);
    REQUIRE(distance(std::get<std::vector<double>>(only.values), truth) <= 1e-10 * norm(truth));
    std::filesystem::remove(out + "/solutions.npy");
    REQUIRE(with("0,1").status == 0);  // the normal equations have no solution for c = 0, but the SVD has
    const NpyArray both = read_npy_array(out + "/solutions.npy", DType::float64);
    const std::vector<double> least = least_squares(dense(a), d);
    REQUIRE(distance({std::get<std::vector<double>>(both.values).data(), 28}, least) <= 1e-10 * norm(least));
    std::filesystem::remove(out + "/solutions.npy");
    const ProgramResult none = run(
        "example ridge --rows 150 --columns 150 --methods cholesky --coefficients 0 --backend cpu --out " +
        out);
    REQUIRE(none.status == 1);
    REQUIRE(none.err.find("no method came to solutions") != std::string::npos);
    REQUIRE_FALSE(std::filesystem::exists(out + "/solutions.npy"));
    const std::pair<std::string, const char*> refusals[] = {
        {fmt::format("--matrix {0} --rhs {0}", matrix), "one column"},
        {fmt::format("--matrix {} --rows 3", matrix), "--rows and --matrix"},
        {"--rows 30 --rhs " + rhs, "35 values"},
        {"--coefficients 5:1:3", "0 < LOW < HIGH"},
        {"--methods magic", "lsmr, cholesky, svd"},
        {"--methods lsmr,stacked", "lsmr, cholesky, svd"},
        {"--rows 2000000000 --columns 2000000000", "at most"}};
    for (const auto& [words, said] : refusals) require_refused(run("example ridge " + words), 2, said);
}

TEST_CASE("example ridge gives the same solutions for small and large matrices, data and coefficients") {
    Dice random;
    const ScratchFolder folder;
    const auto a = random_sparse<double>(random, 30, 20, 0.4, -1);
    const std::vector<double> d = random_vector(random, 30);
    const auto solutions = [&](int power, int of_data) {
        auto scaled = a;
        for (double& value : scaled.value) value = std::ldexp(value, power);
        std::vector<double> data = d;
        for (double& value : data) value = std::ldexp(value, of_data);
        const std::string matrix = write_matrix_market(folder / "a.mtx", scaled).string();
        write_npy_array((folder / "d.npy").string(), {{30}, data});
        const std::string words = fmt::format(
            "example ridge --matrix {} --rhs {}/d.npy --backend cpu --repeats 1 --out {}/out --coefficients "
            "{:.17g},{:.17g}",
            matrix,
            folder.path().string(),
            folder.path().string(),
            std::ldexp(0.3, power),
            std::ldexp(2, power));
        const ProgramResult result = run_program(shell_words(words));
        CAPTURE(result.err, result.out, power, of_data);
        REQUIRE(result.status == 0);
        REQUIRE(result.out.find("certified for 2 of 2") != std::string::npos);
        const NpyArray all = read_npy_array((folder / "out/solutions.npy").string(), DType::float64);
        std::vector<double> x = std::get<std::vector<double>>(all.values);
        for (double& value : x) value = std::ldexp(value, power - of_data);
        return x;
    };
    const std::vector<double> right = solutions(0, 0);
    REQUIRE(relative_error({right.data(), 20}, dense_solution(dense(a), d, 0.3)) < 1e-13);
    for (const auto& [power, of_data] :
         {std::pair{0, -190}, {0, 190}, {190, 0}, {-190, 30}, {150, 190}, {-150, -190}})
        REQUIRE(solutions(power, of_data) == right);
    write_bytes(folder / "a.mtx", "%%MatrixMarket matrix array real general\n1 2\n1e70\n1e-80\n");
    require_refused(
        run_program(shell_words(fmt::format("example ridge --matrix {}/a.mtx", folder.path().string()))),
        2,
        "column 2 are below 1e-140 times the largest");
}

// The table is from mpmath (tests/reference/make_ridge_reference.py): matrices with scaled rows or columns,
// without full rank, with empty rows, with numbers near the ends of float64's range ...
TEST_CASE("example ridge is right to 1e-6, or says that it may not be, for hard matrices of every kind") {
    const ScratchFolder folder;
    const auto cases = nlohmann::json::parse(read_bytes(reference_file("ridge_mpmath.json")));
    for (const char* methods : {"auto", "lsmr", "cholesky", "svd"}) {
        int right = 0;
        for (const auto& one : cases) {
            const auto a = one.at("a").get<std::vector<std::vector<double>>>();
            const auto d = one.at("d").get<std::vector<double>>(), c = one.at("c").get<std::vector<double>>();
            Eigen::MatrixXd matrix(Eigen::Index(a.size()), Eigen::Index(a[0].size()));
            for (Eigen::Index i = 0; i < matrix.rows(); ++i)
                for (Eigen::Index j = 0; j < matrix.cols(); ++j)
                    matrix(i, j) = a[std::size_t(i)][std::size_t(j)];
            const std::string mtx = write_matrix_market(folder / "a.mtx", sparse(matrix)).string();
            write_npy_array(folder / "d.npy", {{std::int64_t(d.size())}, d});
            std::string words = fmt::format(
                "example ridge --matrix {} --rhs {} --backend cpu --repeats 1 --threads 1 --quiet --methods "
                "{} "
                "--out {} --coefficients ",
                mtx,
                (folder / "d.npy").string(),
                methods,
                (folder / "out").string());
            for (const double value : c) words += fmt::format("{:.17g},", value);
            words.pop_back();
            const ProgramResult result = run_program(shell_words(words));
            const auto report = nlohmann::json::parse(read_bytes(folder / "out/report.json"));
            const NpyArray all = read_npy_array(folder / "out/solutions.npy", DType::float64);
            const auto& x = std::get<std::vector<double>>(all.values);
            for (std::size_t i = 0; i < c.size(); ++i) {
                const auto truth = one.at("x")[i].get<std::vector<double>>();
                const double error = relative_error({x.data() + i * truth.size(), truth.size()}, truth);
                const auto& said = report.at("tables")[0].at("rows")[i][4];
                CAPTURE(one.at("name").get<std::string>(), methods, c[i], error, said.dump(), result.err);
                const bool certified = said.is_number() && said.get<double>() <= 1e-6;
                REQUIRE((error <= 1e-6 || !certified));
                REQUIRE((certified || result.status == 1));
                REQUIRE((certified || result.err.find("is not known to have an error") != std::string::npos));
                right += certified ? 1 : 0;
            }
        }
        REQUIRE(right >= 70);
    }
}

TEST_CASE("example ridge says which method did not reach the accuracy, and writes the better solution") {
    const ScratchFolder folder;
    // A Gaussian blur: its singular values fall to 1e-16.
    constexpr int n = 40;
    Eigen::MatrixXd blur(n, n);
    std::vector<double> d;
    for (int i = 0; i < n; ++i) {
        d.push_back(std::sin(0.2 * i) + 1e-3 * std::cos(37.0 * i * i));
        for (int j = 0; j < n; ++j) blur(i, j) = 0.125 * std::exp(-(i - j) * (i - j) / 20.5);
    }
    const std::string matrix = write_matrix_market(folder / "a.mtx", sparse(blur)).string();
    const std::string rhs = (folder / "d.npy").string(), out = (folder / "out").string();
    write_npy_array(rhs, {{n}, d});
    const auto run = [&](const std::string& words) {
        return run_program(shell_words(fmt::format(
            "example ridge --matrix {} --rhs {} --backend cpu --repeats 1 {}", matrix, rhs, words)));
    };
    const ProgramResult result = run("--coefficients 1e-7,1e-6,1e-2,1 --out " + out);
    CAPTURE(result.err, result.out);
    REQUIRE(result.status == 0);
    REQUIRE(result.out.find("NOT REACHED") != std::string::npos);
    REQUIRE(result.out.find("WRONG") == std::string::npos);
    const NpyArray all = read_npy_array(out + "/solutions.npy", DType::float64);
    const auto& x = std::get<std::vector<double>>(all.values);
    const double coefficients[] = {1e-7, 1e-6, 1e-2, 1};
    for (std::size_t i = 0; i < 4; ++i)
        REQUIRE(relative_error({x.data() + n * i, n}, dense_solution(blur, d, coefficients[i])) < 1e-6);
    // Rows so different that not even 113 bits tell the second singular value from 0.
    const auto levels = write_bytes(folder / "levels.mtx",
                                    "%%MatrixMarket matrix array real general\n2 2\n1\n1e-50\n1\n-1e-50\n");
    const ProgramResult small = run_program(shell_words(fmt::format(
        "example ridge --matrix {} --coefficients 1e-60 --methods process --backend cpu", levels.string())));
    CAPTURE(small.err, small.out);
    REQUIRE(small.status == 1);
    REQUIRE(small.out.find("certified for 0 of 1") != std::string::npos);
    REQUIRE(small.err.find("c = 1e-60: x is not known to have an error of at most 1e-06") !=
            std::string::npos);
    const ProgramResult beyond = run("--coefficients 1e-4:1e-2:5");
    CAPTURE(beyond.out);
    REQUIRE(beyond.out.find("The corner of the L-curve, c = 1.5e-05, lies outside") != std::string::npos);
}

TEST_CASE("example ridge can be ended while it draws a long matrix and its data") {
    RandomProblem problem{3'000'000, 1, 1e-6, 7};
    int asked = 0;
    random_matrix<float>(problem, [&] { ++asked; });
    REQUIRE(asked >= 3);
    asked = 0;
    stencil::ridge::random_data(problem, [&] { ++asked; });
    REQUIRE(asked >= 3);
    ThreadPool threads(2);
    const auto a = random_matrix<float>({300, 300, 0.1, 3}, [] {});
    const auto back = transposed(a);
    const auto vectors = make_cpu_lsmr(a, back, 1, threads);
    const std::vector<double> d(300, 1.0), c{0.1};
    RidgeRule rule;
    rule.most_steps = 10;
    asked = 0;
    solve_ridge_path(*vectors, d, c, rule, [&](double) { ++asked; });
    REQUIRE(asked == 10);
    REQUIRE_THROWS_AS(
        solve_ridge_path(*vectors, d, c, rule, [](double) { throw std::runtime_error("ended"); }),
        std::runtime_error);
}
