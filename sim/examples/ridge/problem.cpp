#include "sim/examples/ridge/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/field/random.h"
#include "sim/files/matrix_market.h"
#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr double kMaxCellsOfBitmap = 0x1p34;
constexpr std::size_t kPauseEvery = 1 << 20;
constexpr std::size_t kMaxCoefficients = 1000;

// One bit for each cell: drawing goes on until as many different cells as wanted are set. Of a matrix that is
// more than half full, the empty cells are drawn.
std::vector<std::uint64_t> draw_bits(Random& random,
                                     std::int64_t cells,
                                     std::int64_t wanted,
                                     const std::function<void()>& pause) {
    const bool inverted = wanted > cells / 2;
    std::vector<std::uint64_t> bits(std::size_t(cells / 64 + 1), 0);
    for (std::int64_t left = inverted ? cells - wanted : wanted; left > 0;) {
        const auto cell = std::min(cells - 1, std::int64_t(random.next_double() * double(cells)));
        std::uint64_t& word = bits[std::size_t(cell / 64)];
        const std::uint64_t bit = std::uint64_t(1) << (cell % 64);
        if ((word & bit) != 0) continue;
        word |= bit;
        if (std::size_t(--left) % kPauseEvery == 0) pause();
    }
    if (inverted)
        for (std::uint64_t& word : bits) word = ~word;
    return bits;
}

// The same for a large and sparse matrix: sorted cell numbers.
std::vector<std::int64_t> draw_cells(Random& random,
                                     double cells,
                                     std::int64_t wanted,
                                     const std::function<void()>& pause) {
    std::vector<std::int64_t> drawn;
    drawn.reserve(std::size_t(wanted));
    while (std::int64_t(drawn.size()) < wanted) {
        while (std::int64_t(drawn.size()) < wanted) {
            drawn.push_back(std::int64_t(random.next_double() * cells));
            if (drawn.size() % kPauseEvery == 0) pause();
        }
        std::ranges::sort(drawn);
        const auto again = std::ranges::unique(drawn);
        drawn.erase(again.begin(), again.end());
    }
    return drawn;
}

template <class T>
void fill_values(SparseMatrix<T>& a, Random& random) {
    a.value.resize(a.column.size());
    for (T& value : a.value) value = T(random.next_float());
}

SparseMatrix<float> narrowed(const SparseMatrix<double>& a) {
    SparseMatrix<float> result;
    result.rows = a.rows;
    result.columns = a.columns;
    result.start = a.start;
    result.column = a.column;
    result.value.assign(a.value.begin(), a.value.end());
    return result;
}

// Their squares are numbers of float64, with room for what they are multiplied by.
void require_in_range(const std::vector<double>& coefficients,
                      const std::string& setting,
                      const std::string& text) {
    constexpr double kMin = 1e-100, kMax = 1e100;
    for (const double c : coefficients)
        if (c != 0 && !(c >= kMin && c <= kMax))
            throw InputError(
                fmt::format("{} {}: each must be 0 or from {:g} to {:g}", setting, text, kMin, kMax));
}

void read_matrix(RidgeProblem& problem, const std::string& path, bool float32) {
    problem.a64 = read_matrix_market(path);
    if (problem.a64.rows == 0 || problem.a64.columns == 0)
        throw InputError(fmt::format("{}: has {} rows and {} columns, but at least one of each is needed",
                                     path,
                                     problem.a64.rows,
                                     problem.a64.columns));
    const bool exact =
        std::ranges::all_of(problem.a64.value, [](double value) { return double(float(value)) == value; });
    problem.narrow = float32 && exact;
    if (problem.narrow) {
        problem.a32 = narrowed(problem.a64);
        problem.a64 = {};
    } else if (float32) {
        problem.notes.push_back("The matrix is kept in float64: not all of its values are float32 numbers.");
    }
}

std::vector<double> read_data(const std::string& path, std::int64_t rows) {
    std::vector<double> d;
    if (path.ends_with(".npy")) {
        NpyArray array = read_npy_array(path, DType::float64);
        const bool column = array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
        if (!column)
            throw InputError(fmt::format("{}: must have the shape ({},) or ({}, 1)", path, rows, rows));
        d = std::move(std::get<std::vector<double>>(array.values));
    } else {
        d = read_matrix_market_vector(path);
    }
    if (std::int64_t(d.size()) != rows)
        throw InputError(fmt::format("{}: has {} values, but the matrix has {} rows", path, d.size(), rows));
    return d;
}

}  // namespace

std::int64_t RandomProblem::nonzeros() const {
    return std::int64_t(std::llround(density * double(rows) * double(columns)));
}

template <class T>
SparseMatrix<T> random_matrix(const RandomProblem& problem, const std::function<void()>& pause) {
    SparseMatrix<T> a;
    a.rows = problem.rows;
    a.columns = problem.columns;
    a.start.assign(1, 0);
    Random random(problem.seed);
    const std::int64_t wanted = problem.nonzeros();
    a.column.reserve(std::size_t(wanted));
    const double cells = double(a.rows) * double(a.columns);
    if (cells <= kMaxCellsOfBitmap) {
        const std::vector<std::uint64_t> bits = draw_bits(random, a.rows * a.columns, wanted, pause);
        std::int64_t cell = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) {
            if (std::size_t(i) % (kPauseEvery >> 10) == 0) pause();
            for (std::int64_t j = 0; j < a.columns; ++j, ++cell)
                if ((bits[std::size_t(cell / 64)] >> (cell % 64) & 1) != 0)
                    a.column.push_back(std::uint32_t(j));
            a.start.push_back(std::int64_t(a.column.size()));
        }
    } else {
        const std::vector<std::int64_t> drawn = draw_cells(random, cells, wanted, pause);
        for (std::int64_t i = 0; i < a.rows; ++i) {
            if (std::size_t(i) % kPauseEvery == 0) pause();
            while (a.column.size() < drawn.size() && drawn[a.column.size()] / a.columns == i)
                a.column.push_back(std::uint32_t(drawn[a.column.size()] % a.columns));
            a.start.push_back(std::int64_t(a.column.size()));
        }
    }
    fill_values(a, random);
    return a;
}

template SparseMatrix<float> random_matrix(const RandomProblem&, const std::function<void()>&);
template SparseMatrix<double> random_matrix(const RandomProblem&, const std::function<void()>&);

std::vector<double> random_data(const RandomProblem& problem, const std::function<void()>& pause) {
    Random random(problem.seed ^ 0x9e3779b97f4a7c15u);  // other numbers than the matrix's
    std::vector<double> d(std::size_t(problem.rows));
    for (std::size_t i = 0; i < d.size(); ++i) {
        if (i % kPauseEvery == 0) pause();
        const double radius = std::sqrt(-2 * std::log(1 - random.next_double()));
        d[i] = 3 + radius * std::cos(2 * std::numbers::pi * random.next_double());
    }
    return d;
}

RandomProblem random_problem(const OptionValues& options) {
    return {options.integer("rows"),
            options.integer("columns"),
            options.real("density"),
            std::uint64_t(options.integer("seed"))};
}

RidgeProblem make_ridge_problem(const OptionValues& options,
                                bool float32,
                                const std::function<void()>& pause) {
    RidgeProblem problem;
    RandomProblem random = random_problem(options);
    if (options.given("matrix")) {
        read_matrix(problem, options.text("matrix"), float32);
        random.rows = problem.rows();
    } else if (float32) {
        problem.a32 = random_matrix<float>(random, pause);
    } else {
        problem.narrow = false;
        problem.a64 = random_matrix<double>(random, pause);
    }
    problem.d =
        options.given("rhs") ? read_data(options.text("rhs"), problem.rows()) : random_data(random, pause);
    return problem;
}

std::vector<double> parse_coefficients(const std::string& text, const std::string& setting) {
    std::vector<double> values;
    const std::vector<std::string> range = split(text, ':');
    if (range.size() == 3) {
        const double low = parse_real(range[0], setting), high = parse_real(range[1], setting);
        const auto count = parse_integer(range[2], setting, 2, (long long)(kMaxCoefficients));
        if (!(low > 0) || !(high > low))
            throw InputError(fmt::format("{} {}: must be LOW:HIGH:COUNT with 0 < LOW < HIGH", setting, text));
        for (long long i = 0; i < count; ++i)
            values.push_back(i + 1 == count ? high
                                            : low * std::pow(high / low, double(i) / double(count - 1)));
        require_in_range(values, setting, text);
        return values;
    }
    if (range.size() != 1)
        throw InputError(fmt::format("{} {}: must be LOW:HIGH:COUNT or a list C,C,...", setting, text));
    for (const std::string& word : split(text, ',')) values.push_back(parse_real(word, setting));
    std::ranges::sort(values);
    if (std::ranges::adjacent_find(values) != values.end() || values.size() > kMaxCoefficients)
        throw InputError(
            fmt::format("{} {}: must be up to {} different numbers", setting, text, kMaxCoefficients));
    require_in_range(values, setting, text);
    return values;
}

}  // namespace stencil
