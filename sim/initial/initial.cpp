#include "sim/initial/initial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "kernels/cpu/thread_pool.h"
#include "sim/field/random.h"
#include "sim/files/field_file.h"
#include "sim/files/image.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// --- The conditions

// Calls task(begin, end) for ranges of an array's rows.
template <class T>
void for_rows(const Array<T>& array, ThreadPool* threads, const std::function<void(int, int)>& task) {
    constexpr std::int64_t kWorthThreads = 1 << 15;  // cells
    if (!threads) return task(0, array.ny());
    threads->for_ranges(
        array.ny(),
        [&](std::int64_t begin, std::int64_t end) { task(int(begin), int(end)); },
        kWorthThreads / std::max(array.nx(), 1) + 1);
}

// Evaluates value(x, y) at every cell of the requested rows.
template <class F>
Array<double> fill(const InitialRequest& request, F&& value) {
    Array<double> field(request.nx, request.rows);
    for_rows(field, request.threads, [&](int begin, int end) {
        for (int y = begin; y < end; ++y)
            for (int x = 0; x < request.nx; ++x) field.at(x, y) = value(x, request.first + y);
    });
    return field;
}

// Distance of a cell's centre from a point given as fractions of width and height, in units of the shorter
// side.
struct Distance {
    explicit Distance(const InitialRequest& request)
        : x0(request.parameter("x") * request.nx - 0.5),
          y0(request.parameter("y") * request.ny - 0.5),
          unit(std::min(request.nx, request.ny)) {}
    double operator()(int x, int y) const { return std::hypot(x - x0, y - y0) / unit; }
    double x0, y0, unit;
};

Array<double> make_noise(const InitialRequest& request) {
    return std::move(
        make_noise_rows(
            DType::float64, request.nx, request.first, request.rows, request.seed, request.threads)
            .as<double>());
}

Array<double> make_gaussian(const InitialRequest& request) {
    const Distance distance(request);
    const double sigma = request.parameter("sigma");
    return fill(request, [&](int x, int y) {
        const double d = distance(x, y) / sigma;
        return std::exp(-0.5 * d * d);
    });
}

Array<double> make_disk(const InitialRequest& request) {
    const Distance distance(request);
    const double radius = request.parameter("radius");
    return fill(request, [&](int x, int y) { return distance(x, y) < radius ? 1.0 : 0.0; });
}

Array<double> make_checkerboard(const InitialRequest& request) {
    const int cells = int(request.parameter("cells"));
    return fill(request, [&](int x, int y) { return double((x / cells + y / cells) % 2); });
}

// Eigenmodes of the discrete Laplacian: sines that vanish one cell outside (zero), cosines about the cell
// faces (insulated), whole waves (periodic). Mode numbers count half waves across the field, for periodic
// ones whole waves.
Array<double> make_sine(const InitialRequest& request) {
    using std::numbers::pi;
    const double mode_x = request.parameter("mx");
    const double mode_y = request.parameter("my");
    const auto wave = [&](int i, int n, double mode) {
        switch (request.boundary) {
            case Boundary::zero:
                return std::sin(pi * mode * (i + 1) / (n + 1));
            case Boundary::insulated:
                return std::cos(pi * mode * (i + 0.5) / n);
            case Boundary::periodic:
                return std::cos(2 * pi * mode * i / n);
        }
        return 0.0;
    };
    return fill(request,
                [&](int x, int y) { return wave(x, request.nx, mode_x) * wave(y, request.ny, mode_y); });
}

// --- The table

constexpr InitialParameter kGaussian[] = {{"sigma", 0.125, 1e-6, 1e6, "width over the shorter side"},
                                          {"x", 0.5, -10, 10, "centre, as a share of the width"},
                                          {"y", 0.5, -10, 10, "centre, as a share of the height"}};
constexpr InitialParameter kDisk[] = {{"radius", 0.25, 0, 1e6, "over the shorter side"},
                                      {"x", 0.5, -10, 10, "centre, as a share of the width"},
                                      {"y", 0.5, -10, 10, "centre, as a share of the height"}};
constexpr InitialParameter kCheckerboard[] = {{"cells", 1, 1, 1e9, "side of a square, in cells"}};
constexpr InitialParameter kSine[] = {
    {"mx", 1, 0, 1e9, "half waves across the width (whole ones if periodic)"},
    {"my", 1, 0, 1e9, "half waves across the height (whole ones if periodic)"}};

constexpr InitialCondition kConditions[] = {
    {"jagged",
     "noise with a radius^-1.7 spectrum in a disc, its lower 70% cut off",
     {},
     true,
     false,
     25,
     "jagged",
     make_jagged},
    {"noise", "uniform on [0, 1)", {}, true, true, 8, "noise", make_noise},
    {"gaussian", "a bell of height 1", kGaussian, false, true, 8, "gaussian", make_gaussian},
    {"disk", "1 inside, 0 outside", kDisk, false, true, 8, "disk", make_disk},
    {"checkerboard",
     "0 and 1 by turns",
     kCheckerboard,
     false,
     true,
     8,
     "checkerboard:cells=8",
     make_checkerboard},
    {"sine",
     "an eigenmode of the discrete Laplacian under the boundary, exact for whole numbers of waves",
     kSine,
     false,
     true,
     8,
     "sine:mx=3,my=2",
     make_sine},
};

const InitialCondition* find(std::string_view name) {
    const auto found = std::ranges::find(kConditions, name, &InitialCondition::name);
    return found == std::end(kConditions) ? nullptr : found;
}

bool is_file_name(const std::string& text) {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::path(text).parent_path();
    return has_field_ending(text) || is_stream(text) || std::filesystem::is_regular_file(text, ignored) ||
           (!folder.empty() && std::filesystem::is_directory(folder, ignored));
}

// A minus may occur in names, so it marks a formula only next to a number or variable.
bool is_formula(std::string_view text) {
    const auto stands_alone = [](const std::string& part) {
        return part == "x" || part == "y" || part == "random" || part == "normal" || read_real(part);
    };
    return text.find_first_of("+*/^()<>= ") != std::string_view::npos ||
           std::ranges::any_of(split(std::string(text), '-'), stands_alone);
}

// Adds a parameter NAME=VALUE to those given so far.
void read_parameter(const InitialCondition& condition,
                    const std::string& text,
                    std::map<std::string, double, std::less<>>& given) {
    const auto parts = split(text, '=');
    const auto row = std::ranges::find(condition.parameters, parts[0], &InitialParameter::name);
    if (row == condition.parameters.end() || parts.size() != 2) {
        std::vector<std::string> allowed;
        for (const InitialParameter& p : condition.parameters)
            allowed.push_back(fmt::format("{}={}", p.name, p.standard));
        throw InputError(Given{"initial", condition.name},
                         "unknown option '{}' (allowed: {})",
                         quotable(text),
                         allowed.empty() ? "none" : fmt::format("{}", fmt::join(allowed, ", ")));
    }
    const std::string setting = fmt::format("initial {}:{}", condition.name, row->name);
    const double value = parse_real(parts[1], setting);
    if (value < row->least || value > row->most)
        throw InputError(Given{setting, quotable(parts[1])}, "must be from {} to {}", row->least, row->most);
    if (!given.emplace(parts[0], value).second) throw InputError(Given{setting}, "given twice");
}

}  // namespace

std::span<const InitialCondition> initial_conditions() {
    return kConditions;
}

InitialChoice parse_initial(std::string_view text) {
    InitialChoice choice;
    // spec.json holds the text, and JSON is UTF-8.
    if (!is_utf8(text)) throw InputError(Given{"initial", printable(text)}, "the file's name must be UTF-8");
    if (text.empty()) return choice;
    const std::string name(text.substr(0, text.find(':')));
    choice.condition = find(name);
    if (!choice.condition) {
        const std::string whole(text);
        const bool file = is_file_name(whole);
        (file ? choice.file : choice.formula) = whole;
        if (file || is_formula(text)) return choice;
        std::vector<std::string> known = names_of(kConditions);
        known.insert(known.end(), {"a formula", "a file of " + field_endings()});
        throw InputError(Given{"initial"}, unknown_name_message("initial condition", name, known));
    }
    if (name.size() < text.size())
        for (const std::string& part : split(text.substr(name.size() + 1), ','))
            read_parameter(*choice.condition, part, choice.parameters);
    for (const InitialParameter& row : choice.condition->parameters)
        choice.parameters.emplace(row.name, row.standard);
    return choice;
}

std::optional<std::pair<int, int>> initial_size(const InitialChoice& choice) {
    if (choice.file.empty()) return std::nullopt;
    if (is_picture_file(choice.file)) return image_size(choice.file);
    const FoundField found = open_field({choice.file, choice.variable, choice.required});
    return std::pair{found.nx, found.ny};
}

Field make_initial(const InitialChoice& choice, const InitialRequest& request) {
    if (choice.condition) return choice.condition->make(request);
    if (is_picture_file(choice.file)) return read_image(choice.file, choice.channel, request.nx, request.ny);
    const FoundField found = open_field({choice.file, choice.variable, choice.required});
    require_array_size(choice.file, found.nx, found.ny, request);
    return found.read();
}

void require_array_size(const std::string& file, int nx, int ny, const InitialRequest& request) {
    if (nx == request.nx && ny == request.ny) return;
    throw InputError("{}: the array is {}x{} and the field {}x{}: give its own --size, or none",
                     file,
                     nx,
                     ny,
                     request.nx,
                     request.ny);
}

Field make_noise_rows(DType dtype, int nx, int first, int rows, std::uint64_t seed, ThreadPool* threads) {
    Field field(dtype, nx, rows);
    field.visit([&]<class T>(Array<T>& cells) {
        for_rows(cells, threads, [&](int begin, int end) {
            Random random(seed);
            random.skip_floats(std::uint64_t(first + begin) * std::uint64_t(nx));
            for (T* cell = cells.view().row(begin); cell != cells.view().row(end); ++cell)
                *cell = T(random.next_float());
        });
    });
    return field;
}

}  // namespace stencil
