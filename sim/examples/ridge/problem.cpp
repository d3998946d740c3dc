#include "sim/examples/ridge/problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "sim/examples/ridge/matrix_market.h"
#include "sim/field/random.h"
#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::ridge {
namespace {

constexpr double kMaxPlaces = 0x1p34, kMaxNonzeros = 0x1p31 - 1;
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

void require_in_range(const std::vector<double>& coefficients, const std::string& text) {
    constexpr double kMin = 1e-300, kMax = 1e300;
    for (const double c : coefficients)
        if (c != 0 && !(c >= kMin && c <= kMax))
            throw InputError(Given{"coefficients", text}, "each must be 0 or from {:g} to {:g}", kMin, kMax);
}

// Divides values by the power of two above the largest; returns its exponent.
int scale_down(std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest) + 1;
    for (double& value : values) value = std::ldexp(value, -exponent);
    return exponent;
}

// Squares of the others' lengths are numbers of float64.
void require_columns(const SparseMatrix<double>& a, const std::string& path) {
    constexpr double kLeast = 1e-140;
    std::vector<double> largest(std::size_t(a.columns), 0.0);
    for (std::size_t k = 0; k < a.value.size(); ++k)
        largest[a.column[k]] = std::max(largest[a.column[k]], std::abs(a.value[k]));
    for (std::size_t j = 0; j < largest.size(); ++j)
        if (largest[j] != 0 && largest[j] < kLeast)
            throw InputError("{}: the numbers of column {} are below {:g} times the largest of the matrix",
                             path,
                             j + 1,
                             kLeast);
}

void read_matrix(RidgeProblem& problem, const std::string& path, bool float32) {
    SparseMatrix<double> a = read_matrix_market(path);
    if (a.rows == 0 || a.columns == 0)
        throw InputError(
            "{}: has {} rows and {} columns, but at least one of each is needed", path, a.rows, a.columns);
    problem.matrix_exponent = scale_down(a.value);
    require_columns(a, path);
    const bool exact =
        std::ranges::all_of(a.value, [](double value) { return double(float(value)) == value; });
    if (float32 && exact) {
        problem.a = SparseMatrix<float>{
            a.rows, a.columns, std::move(a.start), std::move(a.column), {a.value.begin(), a.value.end()}};
        return;
    }
    problem.a = std::move(a);
    if (float32)
        problem.notes.push_back("The matrix is kept in float64: not all of its values are float32 numbers.");
}

std::vector<double> read_data(const std::string& path, std::int64_t rows, int& exponent) {
    std::vector<double> d;
    if (path.ends_with(".npy")) {
        NpyArray array = read_npy_array(path, DType::float64);
        const bool column = array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
        if (!column) throw InputError("{}: must have the shape ({},) or ({}, 1)", path, rows, rows);
        d = std::move(std::get<std::vector<double>>(array.values));
    } else {
        d = read_matrix_market_vector(path);
    }
    if (std::int64_t(d.size()) != rows)
        throw InputError("{}: has {} values, but the matrix has {} rows", path, d.size(), rows);
    exponent = scale_down(d);
    return d;
}

using Kind = ExampleOption::Kind;

constexpr double kMaxRows = 2e9;
constexpr std::string_view kMethods[] = {"lsmr", "process", "cholesky", "svd"};

const ExampleOption kOptions[] = {
    {"rows", Kind::integer, "N", "rows of the random matrix", "15000", 1, kMaxRows, "matrix"},
    {"columns", Kind::integer, "N", "columns of the random matrix", "15000", 1, kMaxRows, "matrix"},
    {"density", Kind::real, "SHARE", "share of its places that hold a number", "0.1", 0, 1, "matrix"},
    {"seed", Kind::integer, "N", "of the random numbers", "1", 0, 9e15},
    {"coefficients", Kind::text, "C", "c: LOW:HIGH:COUNT (geometric), or a list C,C,...", "0.1:5000:10"},
    {"tolerance", Kind::real, "T", "of the certificate: bound on |x - exact x| / |x|", "1e-6", 1e-14, 1},
    {"methods", Kind::text, "LIST", "auto: what is sensible for the size; or of lsmr, cholesky, svd", "auto"},
    {"matrix", Kind::file, "FILE.mtx", "the matrix, in Matrix Market format, instead of a random one"},
    {"rhs", Kind::file, "FILE", "the data d, as .npy or Matrix Market, instead of random ones"},
};

void read_methods(RidgeSettings& settings, const std::string& text) {
    settings.automatic = text == "auto";
    if (settings.automatic) return;
    const std::vector<std::string> names = split(text, ',');
    for (const std::string& name : names)
        if (!contains(kMethods, name))
            throw InputError(Given{"methods", text}, "must be auto, or a list of lsmr, cholesky, svd");
    settings.lsmr = contains(names, "lsmr") || contains(names, "process");  // as it was called
    settings.cholesky = contains(names, "cholesky");
    settings.svd = contains(names, "svd");
}

void check_size(const OptionValues& options) {
    if (options.given("matrix")) {
        for (const char* name : {"rows", "columns", "density"})
            if (options.given(name))
                throw InputError("--{} and --matrix: the file says how large its matrix is", name);
        return;
    }
    const double cells = double(options.integer("rows")) * double(options.integer("columns"));
    if (cells > kMaxPlaces || cells * options.real("density") > kMaxNonzeros)
        throw InputError("--rows {} --columns {} --density {}: at most {:.0f} nonzeros in {:.0f} places",
                         options.text("rows"),
                         options.text("columns"),
                         options.text("density"),
                         kMaxNonzeros,
                         kMaxPlaces);
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
    const std::vector<std::uint64_t> bits = draw_bits(random, a.rows * a.columns, wanted, pause);
    std::int64_t cell = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
        if (std::size_t(i) % (kPauseEvery >> 10) == 0) pause();
        for (std::int64_t j = 0; j < a.columns; ++j, ++cell)
            if ((bits[std::size_t(cell / 64)] >> (cell % 64) & 1) != 0) a.column.push_back(std::uint32_t(j));
        a.start.push_back(std::int64_t(a.column.size()));
    }
    a.value.resize(a.column.size());
    for (T& value : a.value) value = T(random.next_float());
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

RidgeProblem make_ridge_problem(const OptionValues& options,
                                bool float32,
                                const std::function<void()>& pause) {
    RidgeProblem problem;
    RandomProblem random{options.integer("rows"),
                         options.integer("columns"),
                         options.real("density"),
                         std::uint64_t(options.integer("seed"))};
    if (options.given("matrix")) {
        read_matrix(problem, options.text("matrix"), float32);
        random.rows = std::visit([](const auto& a) { return a.rows; }, problem.a);
    } else if (float32) {
        problem.a = random_matrix<float>(random, pause);
    } else {
        problem.a = random_matrix<double>(random, pause);
    }
    problem.d = options.given("rhs") ? read_data(options.text("rhs"), random.rows, problem.data_exponent)
                                     : random_data(random, pause);
    return problem;
}

std::vector<double> parse_coefficients(const std::string& text) {
    constexpr std::string_view setting = "coefficients";
    std::vector<double> values;
    const std::vector<std::string> range = split(text, ':');
    if (range.size() == 3) {
        const double low = parse_real(range[0], setting), high = parse_real(range[1], setting);
        const auto count = parse_integer(range[2], setting, 2, (long long)(kMaxCoefficients));
        if (!(low > 0) || !(high > low))
            throw InputError(Given{setting, text}, "must be LOW:HIGH:COUNT with 0 < LOW < HIGH");
        for (long long i = 0; i < count; ++i)
            values.push_back(i + 1 == count ? high
                                            : low * std::pow(high / low, double(i) / double(count - 1)));
        require_in_range(values, text);
        return values;
    }
    if (range.size() != 1) throw InputError(Given{setting, text}, "must be LOW:HIGH:COUNT or a list C,C,...");
    for (const std::string& word : split(text, ',')) values.push_back(parse_real(word, setting));
    std::ranges::sort(values);
    if (std::ranges::adjacent_find(values) != values.end() || values.size() > kMaxCoefficients)
        throw InputError(Given{setting, text}, "must be up to {} different numbers", kMaxCoefficients);
    require_in_range(values, text);
    return values;
}

std::span<const ExampleOption> ridge_options() {
    return kOptions;
}

RidgeSettings read_ridge_settings(const OptionValues& options) {
    check_size(options);
    RidgeSettings settings;
    settings.coefficients = parse_coefficients(options.text("coefficients"));
    settings.tolerance = options.real("tolerance");
    read_methods(settings, options.text("methods"));
    return settings;
}

}  // namespace stencil::ridge
