// Initial conditions and their random numbers.

#include "sim/initial/initial.h"
#include "sim/field/random.h"
#include "sim/files/npy.h"
#include "tests/support/fields.h"
#include "tests/support/plain_diffusion.h"
#include "tests/support/program.h"

namespace {

struct Made {
    int nx, ny;
    std::uint64_t seed = 1;
    Boundary boundary = Boundary::zero;
};

Field make(const std::string& text, const Made& made) {
    const InitialChoice choice = parse_initial(text);
    return make_initial(choice, {made.nx, made.ny, made.seed, made.boundary, choice.parameters});
}
}  // namespace

TEST_CASE("jagged is NumPy's field to 1e-6") {
    const Field known = read_npy(reference_file("jagged_96x128_seed3966789.npy"));
    const Field found = make("jagged", {128, 96, 3966789});
    const auto a = known.as<double>().cells(), b = found.as<double>().cells();
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) <= 1e-12);
}

TEST_CASE("jagged of other sizes, odd ones and 2000x2000, is NumPy's at sampled cells") {
    for (const auto& sample : read_json(reference_file("jagged_samples.json"))) {
        const Made made{sample.at("nx"), sample.at("ny"), sample.at("seed")};
        INFO(made.nx << "x" << made.ny);
        const Field field = make("jagged", made);
        const auto cells = field.as<double>().cells();
        for (std::size_t i = 0; i < sample.at("index").size(); ++i)
            REQUIRE(std::abs(cells[sample.at("index")[i]] - sample.at("value")[i].get<double>()) <= 1e-10);
        REQUIRE(std::ranges::count_if(cells, [](double v) { return v != 0; }) ==
                sample.at("nonzero").get<long>());
    }
}

TEST_CASE("noise is default_rng(seed).random in float32, row by row") {
    Random random(42);
    const Field field = make("noise", {5, 3, 42});
    for (const double value : field.as<double>().cells()) REQUIRE(value == double(random.next_float()));
}

TEST_CASE("sine is multiplied by one number by the Laplacian under its boundary") {
    for (const BoundaryRow& row : kBoundaries)
        for (const char* text : {"sine", "sine:mx=3,my=2", "sine:mx=2,my=0"}) {
            INFO(row.name << " " << text);
            const Field field = make(text, {41, 23, 1, row.boundary});
            const Array<double>& cells = field.as<double>();
            const Array<double> laplacian = plain_laplacian(cells, row.boundary);
            double product = 0, norm = 0, rest = 0;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                product += laplacian.cells()[i] * cells.cells()[i];
                norm += cells.cells()[i] * cells.cells()[i];
            }
            const double eigenvalue = norm > 0 ? product / norm : 0;
            for (std::size_t i = 0; i < cells.size(); ++i)
                rest = std::max(rest, std::abs(laplacian.cells()[i] - eigenvalue * cells.cells()[i]));
            REQUIRE(rest <= 1e-12);
            const bool empty = row.boundary == Boundary::zero && std::string(text) == "sine:mx=2,my=0";
            REQUIRE((norm > 1) == !empty);
            if (!empty) REQUIRE(eigenvalue < 0);
        }
}

TEST_CASE("gaussian, disk and checkerboard have the shapes that they are named for") {
    const Field bell = make("gaussian:sigma=0.1", {101, 61});
    const auto& b = bell.as<double>();
    REQUIRE(b.at(50, 30) == 1);
    REQUIRE(std::abs(b.at(56, 30) - std::exp(-0.5 * (6 / 6.1) * (6 / 6.1))) < 1e-12);
    REQUIRE(b.at(50, 33) == b.at(53, 30));

    const Field disk = make("disk:radius=0.25,x=0.25", {200, 100});
    const auto& d = disk.as<double>();
    REQUIRE(d.at(50, 50) == 1);
    REQUIRE(d.at(73, 50) == 1);
    REQUIRE(d.at(76, 50) == 0);
    REQUIRE(std::abs(total(disk) - 3.14159 * 25 * 25) < 30);

    const Field board = make("checkerboard:cells=3", {10, 7});
    const auto& c = board.as<double>();
    for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 10; ++x) REQUIRE(c.at(x, y) == (((x / 3) % 2) != ((y / 3) % 2) ? 1.0 : 0.0));
}

TEST_CASE("Every initial condition comes in every size and is finite") {
    for (const InitialCondition& row : initial_conditions())
        for (const auto& [nx, ny] : {std::pair{1, 1}, std::pair{1, 5}, std::pair{5, 1}, std::pair{31, 17}}) {
            INFO(row.name << " " << nx << "x" << ny);
            const Field field = make(std::string(row.name), {nx, ny});
            REQUIRE(field.nx() == nx);
            REQUIRE(field.ny() == ny);
            for (const double value : field.as<double>().cells()) REQUIRE(std::isfinite(value));
        }
}

TEST_CASE("Unknown initial conditions and options are refused with what is allowed") {
    for (const auto& [text, part] : {std::pair{"jaged", "did you mean 'jagged'"},
                                     {"jag-ged", "did you mean 'jagged'"},
                                     {"gaussian:sigm=1", "sigma=0.125"},
                                     {"gaussian:sigma=0", "must be from"},
                                     {"gaussian:sigma=nan", "finite"},
                                     {"noise:x=1", "allowed: none"}})
        REQUIRE(contains(input_error([text] { parse_initial(text); }), part));
    for (const char* formula : {"random", "random-0.5", "1-x"})
        REQUIRE(parse_initial(formula).formula == formula);
}

TEST_CASE("An array of another shape than --size is refused, its own is taken") {
    const ScratchFolder folder;
    const std::string file = (folder / "u.npy").string();
    write_npy(file, random_field(7, 4));
    REQUIRE(initial_size(parse_initial(file)) == std::pair{7, 4});
    REQUIRE(contains(input_error([&] { make(file, {4, 7}); }), "the array is 7x4"));
}

TEST_CASE("Random numbers are NumPy's in both precisions, and for seeds of more than 32 bits") {
    const auto known = read_json(reference_file("random_numbers.json"));
    for (const auto& [seed, key] : {std::pair{3966789u, "default_rng(3966789).random(8, float32)"},
                                    std::pair{987654321u, "default_rng(987654321).random(4, float32)"}}) {
        Random random(seed);
        for (const double value : known.at(key)) REQUIRE(double(random.next_float()) == value);
    }
    Random random(3966789);
    for (const double value : known.at("default_rng(3966789).random(4, float64)"))
        REQUIRE(random.next_double() == value);
    // np.random.default_rng(12345678901234567890).random(4)
    Random large(12345678901234567890u);
    for (const double value :
         {0.0042248797955735107, 0.6523439976170509, 0.6078805024233389, 0.9843050417988058})
        REQUIRE(large.next_double() == value);
}

TEST_CASE("Drawing one float32 leaves the other half of the draw for the next") {
    Random floats(7), doubles(7);
    floats.next_float();
    const float high = floats.next_float();
    // Both use the same 64 bits; the upper part makes the float64.
    REQUIRE(std::abs(double(high) - doubles.next_double()) < 1e-6);
    floats.next_float();
    REQUIRE(std::abs(double(floats.next_float()) - doubles.next_double()) < 1e-6);
}
