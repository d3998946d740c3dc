#include "sim/examples/ridge/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/examples/ridge/problem.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

constexpr double kMaxRows = 2e9;
constexpr std::string_view kStops[] = {"certificate", "lsmr", "both"};
constexpr std::string_view kMethods[] = {"process", "cholesky"};

const ExampleOption kOptions[] = {
    {"rows", Kind::integer, "N", "rows of the random matrix", "15000", 1, kMaxRows, {}, false, "matrix"},
    {"columns",
     Kind::integer,
     "N",
     "columns of the random matrix",
     "15000",
     1,
     kMaxRows,
     {},
     false,
     "matrix"},
    {"density",
     Kind::real,
     "SHARE",
     "share of its places that hold a number",
     "0.1",
     0,
     1,
     {},
     false,
     "matrix"},
    {"seed", Kind::integer, "N", "of the random numbers", "1", 0, 9e15},
    {"coefficients",
     Kind::text,
     "C",
     "the c of c^2 |x|^2: LOW:HIGH:COUNT (geometric), or a list C,C,...",
     "0.1:5000:10"},
    {"stop",
     Kind::choice,
     "RULE",
     "certificate: the error of x is bounded; lsmr: the rule of CuPy and SciPy (atol = btol = 1e-6); both",
     "certificate",
     0,
     0,
     kStops},
    {"tolerance", Kind::real, "T", "of the certificate: bound on |x - exact x| / |x|", "1e-6", 1e-14, 1},
    {"methods", Kind::text, "LIST", "auto: what is sensible for the size; or of process, cholesky", "auto"},
    {"matrix", Kind::file, "FILE.mtx", "the matrix, in Matrix Market format, instead of a random one"},
    {"rhs", Kind::file, "FILE", "the data d, as .npy or Matrix Market, instead of random ones"},
    {"at", Kind::text, "C,...", "further c, from the same process afterwards"},
};

void read_methods(RidgeSettings& settings, const std::string& text) {
    settings.automatic = text == "auto";
    if (settings.automatic) return;
    const std::vector<std::string> names = split(text, ',');
    for (const std::string& name : names)
        if (std::ranges::find(kMethods, name) == std::end(kMethods))
            throw InputError(fmt::format("--methods {}: must be auto, or a list of process, cholesky", text));
    const auto named = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    settings.process = named("process");
    settings.cholesky = named("cholesky");
}

void check_size(const OptionValues& options) {
    if (options.given("matrix")) {
        for (const char* name : {"rows", "columns", "density"})
            if (options.given(name))
                throw InputError(
                    fmt::format("--{} and --matrix: the file says how large its matrix is", name));
        return;
    }
    const double cells = double(options.integer("rows")) * double(options.integer("columns"));
    constexpr double kMaxNonzeros = 4e9;
    if (cells > 0x1p52 || cells * options.real("density") > kMaxNonzeros)
        throw InputError(
            fmt::format("--rows {} --columns {} --density {}: at most {:g} nonzeros in {:g} places",
                        options.text("rows"),
                        options.text("columns"),
                        options.text("density"),
                        kMaxNonzeros,
                        0x1p52));
}

}  // namespace

std::span<const ExampleOption> ridge_options() {
    return kOptions;
}

RidgeSettings read_ridge_settings(const OptionValues& options) {
    check_size(options);
    RidgeSettings settings;
    settings.coefficients = parse_coefficients(options.text("coefficients"), "--coefficients");
    if (options.given("at")) settings.further = parse_coefficients(options.text("at"), "--at");
    settings.tolerance = options.real("tolerance");
    const std::string stop = options.text("stop");
    settings.certified = stop != "lsmr";
    settings.lsmr = stop != "certificate";
    read_methods(settings, options.text("methods"));
    return settings;
}

}  // namespace stencil
