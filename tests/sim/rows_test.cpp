// Fields with more cells than 32 bits can count: rows are made, read and written in place.

#include <fcntl.h>
#include <unistd.h>

#include "sim/distributed/distributed_solver.h"
#include "sim/field/field_hash.h"
#include "sim/field/random.h"
#include "sim/files/npy_rows.h"
#include "sim/machine/machine.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "tests/support/fields.h"

namespace fs = std::filesystem;

namespace {

constexpr int kHuge = 131072;  // 2^34 cells when squared

RunSpec spec_of(Size size, const std::string& initial, const std::string& model = "") {
    RunSpec spec;
    if (!model.empty()) set_setting(spec, "model", model);
    spec.size = size;
    spec.initial = initial;
    spec.backend = "cpu";
    spec.threads = 1;
    spec.seed = 7;
    return resolve(spec, query_machine());
}

void require_rows_of_whole(RunSpec spec) {
    CAPTURE(spec.initial, spec.model->name);
    const auto recipe = start_recipe(spec);
    REQUIRE(recipe);
    const auto again = read_recipe(rounded(recipe, DType::float32)->recipe());
    const State whole = make_start(spec);
    const State narrow = whole.to(DType::float32);
    for (std::size_t c = 0; c < whole.components.size(); ++c) {
        const auto expected = StateRows(std::make_shared<State>(whole.clone()));
        const auto expected_narrow = StateRows(std::make_shared<State>(narrow.clone()));
        for (const auto& [first, rows] : {std::pair{0, 1}, {0, 29}, {5, 9}, {28, 1}, {13, 16}}) {
            CAPTURE(c, first, rows);
            REQUIRE(same_bits(recipe->rows(c, first, rows), expected.rows(c, first, rows)));
            REQUIRE(same_bits(again->rows(c, first, rows), expected_narrow.rows(c, first, rows)));
        }
        REQUIRE(same_bits(recipe->whole()->components[c], whole.components[c]));
    }
}

double cell(const RowSource& source, int x, int y) {
    return source.rows(0, y, 1).as<double>().at(x, 0);
}

}  // namespace

TEST_CASE("Any rows of a start are those of the whole") {
    const Size size{37, 29};
    const ScratchFolder folder;
    write_npy(folder / "start.npy", Field(random_field(size.nx, size.ny)).to(DType::float32));
    for (const std::string initial :
         {"noise", "gaussian:sigma=0.2,y=0.3", "disk", "checkerboard:cells=3", "sine"})
        for (const char* boundary : {"zero", "periodic"}) {
            RunSpec spec = spec_of(size, initial);
            set_setting(spec, "boundary", boundary);
            require_rows_of_whole(spec);
        }
    require_rows_of_whole(spec_of(size, (folder / "start.npy").string()));
    require_rows_of_whole(spec_of(size, "sin(x/7)*y + (x > 5)"));
    require_rows_of_whole(spec_of(size, "", "gray-scott"));
    const auto text = write_bytes(folder / "model.txt",
                                  "du/dt = lap(u)\nu(0) = lap(sin(x/3)*cos(y/5)) + 0.1*normal + y/Ly\n"
                                  "y: periodic\nx: zero\ndt = 0.01\n");
    require_rows_of_whole(spec_of(size, "", text.string()));
    // Every row of these initial conditions depends on the whole field.
    REQUIRE_FALSE(start_recipe(spec_of(size, "jagged")));
}

TEST_CASE("Any number of threads makes the same rows of a start in any order") {
    const Size size{4099, 61};  // enough for each thread
    for (const auto& [initial, model] :
         pairs("noise =>  | gaussian:sigma=0.2,y=0.3 =>  | checkerboard:cells=3 =>  | sin(x/7)*y =>  | "
               " => gray-scott | disk => gray-scott")) {
        CAPTURE(initial, model);
        RunSpec spec = spec_of(size, initial, model);
        const State alone = make_start(spec);
        spec.threads = 3;
        const State together = make_start(spec);
        const auto recipe = start_recipe(spec);
        const auto again = read_recipe(recipe->recipe());
        for (std::size_t c = 0; c < alone.components.size(); ++c) {
            REQUIRE(same_bits(together.components[c], alone.components[c]));
            REQUIRE(same_bits(again->whole()->components[c], alone.components[c]));
        }
        const FieldRows expected(pointers_to(alone.components));
        const std::size_t last = alone.components.size() - 1;
        for (const std::size_t c : {last, std::size_t(0), std::size_t(0), last})
            for (const auto& [first, rows] : {std::pair{7, 40}, {7, 41}, {8, 40}})
                REQUIRE(same_bits(recipe->rows(c, first, rows), expected.rows(c, first, rows)));
        for (std::size_t c = 0; c <= last; ++c)
            REQUIRE(same_bits(recipe->rows(c, 8, 40), expected.rows(c, 8, 40)));
    }
    const auto noise = noise_rows(size.nx, size.ny, DType::float32, 2, 9, 3);
    for (const std::size_t field : {0, 1})
        REQUIRE(same_bits(read_recipe(noise->recipe())->rows(field, 11, 50),
                          make_noise_rows(DType::float32, size.nx, 11, 50, 9 + field)));
}

// np.random.default_rng(seed), bit_generator.advance(cell // 2), random(dtype=np.float32)
TEST_CASE("Noise beyond 2^31, 2^32 and 2^59 cells is NumPy's") {
    const struct {
        std::uint64_t seed, cell;
        double values[5];
    } known[] = {
        {7, (1ULL << 31) - 2, {0x1.a7c4c0p-2, 0x1.05f500p-8, 0x1.3ec860p-3, 0x1.42a0aep-1, 0x1.d6b8d0p-2}},
        {7, (1ULL << 32) + 1, {0x1.8b137ap-1, 0x1.29e0d4p-1, 0x1.c4p-5, 0x1.019a08p-2, 0x1.07fb12p-1}},
        {7,
         131071ULL * kHuge + 131067,
         {0x1.7781c4p-2, 0x1.49c93ep-1, 0x1.3cade4p-2, 0x1.4d9d60p-2, 0x1.0dd53ep-1}},
        {3966789,
         ((1ULL << 30) - 1) * (1ULL << 30) + 12345,
         {0x1.2e9204p-1, 0x1.8c6d2cp-1, 0x1.a01c60p-2, 0x1.7572e8p-2, 0x1.080f3cp-2}}};
    for (const auto& [seed, cell, values] : known) {
        CAPTURE(seed, cell);
        Random random(seed);
        random.skip_floats(cell);
        for (const double value : values) REQUIRE(double(random.next_float()) == value);
    }
    // Compared with the last rows of an initial state.
    const auto last = start_recipe(spec_of({kHuge, kHuge}, "noise"))->rows(0, kHuge - 1, 1);
    for (int i = 0; i < 5; ++i) REQUIRE(last.as<double>().at(kHuge - 5 + i, 0) == known[2].values[i]);
}

TEST_CASE("A jump of many draws is as many single ones, and two jumps are one") {
    constexpr std::uint64_t kDraws = 3'000'001;
    Random stepped(11), jumped(11);
    for (std::uint64_t i = 0; i < kDraws; ++i) stepped.next_float();
    jumped.skip_floats(kDraws);
    for (int i = 0; i < 8; ++i) REQUIRE(stepped.next_float() == jumped.next_float());
    Random twice(11), once(11);
    twice.skip_floats(6'000'000'002);
    twice.skip_floats(1ULL << 40);
    once.skip_floats(6'000'000'002 + (1ULL << 40));
    for (int i = 0; i < 8; ++i) REQUIRE(twice.next_float() == once.next_float());
}

TEST_CASE("The last rows of 2^34 cells are what long double makes of their places") {
    constexpr long double kLast = kHuge - 1;
    const Size size{kHuge, kHuge};
    const int x = kHuge - 3, y = kHuge - 1;
    const auto bell = start_recipe(spec_of(size, "gaussian:sigma=0.25"));
    const long double dx = x - (kHuge / 2.0L - 0.5L), dy = kLast - (kHuge / 2.0L - 0.5L);
    const long double d = std::sqrt(dx * dx + dy * dy) / kHuge / 0.25L;
    REQUIRE(std::abs(cell(*bell, x, y) / double(std::exp(-0.5L * d * d)) - 1) < 1e-13);
    const auto disk = start_recipe(spec_of(size, "disk:radius=0.5"));
    REQUIRE(cell(*disk, kHuge / 2, y) == 1);
    REQUIRE(cell(*disk, 0, y) == 0);
    const auto squares = start_recipe(spec_of(size, "checkerboard:cells=8"));
    REQUIRE(cell(*squares, x, y) == (x / 8 + y / 8) % 2);
    const auto wave = start_recipe(spec_of(size, "sine:mx=1,my=2"));
    constexpr long double kPi = std::numbers::pi_v<long double>;
    const long double value =
        std::sin(kPi * (x + 1.0L) / (kHuge + 1)) * std::sin(2 * kPi * (y + 1.0L) / (kHuge + 1));
    REQUIRE(std::abs(cell(*wave, x, y) / double(value) - 1) < 1e-9);  // the last bit of 2 pi is 1e-12
    // Coordinates count from the field's first row, and 2^34 + 2^17 exceeds 32 bits.
    const auto typed = start_recipe(spec_of(size, "131072*y + x"));
    const auto small = start_recipe(spec_of({4, 4}, "131072*y + x"));
    REQUIRE(cell(*typed, x, y) == cell(*small, 0, 0) + double(kHuge) * y + x);
}

TEST_CASE("Rows of a sparse file of more than 2^32 cells are read and written at their places") {
    const ScratchFolder folder;
    const fs::path path = folder / "large.npy";
    for (const DType dtype : kDTypes) {
        write_bytes(path, "");
        const std::uint64_t cells = std::uint64_t(kHuge) * kHuge, each = bytes_of(dtype);
        constexpr std::uint64_t kHeader = 128;
        if (::truncate(path.c_str(), off_t(kHeader + cells * each)) != 0) {
            WARN("no sparse files of " << cells * each << " bytes here: " << std::strerror(errno));
            return;
        }
        const Field given = make_noise_rows(dtype, kHuge, kHuge - 2, 2, 3);
        {
            NpyWriter npy(path.string(), kHuge, kHuge);
            npy.write_header(dtype);
            npy.write(kHuge - 2, given);
            // Cells 2^31 and 2^32 begin rows.
            npy.write(1 << 14, make_noise_rows(dtype, kHuge, 1 << 14, 1, 3));
            npy.write(1 << 15, make_noise_rows(dtype, kHuge, 1 << 15, 1, 3));
        }
        REQUIRE(fs::file_size(path) == kHeader + cells * each);
        NpyReader npy(path);
        REQUIRE(npy.ny() == kHuge);
        REQUIRE(same_bits(npy.rows(kHuge - 2, 2), given));
        for (const int row : {1 << 14, 1 << 15}) {
            REQUIRE(same_bits(npy.rows(row, 1), make_noise_rows(dtype, kHuge, row, 1, 3)));
            const Field before = npy.rows(row - 1, 1);
            before.visit([](const auto& zeros) {
                REQUIRE(std::ranges::all_of(zeros.cells(), [](auto value) { return value == 0; }));
            });
        }
        // The offset of the last cell is computed independently.
        std::vector<std::byte> last(each), expected(each);
        const int file = ::open(path.c_str(), O_RDONLY);
        REQUIRE(::pread(file, last.data(), each, off_t(kHeader + (cells - 1) * each)) == ssize_t(each));
        ::close(file);
        given.visit([&](const auto& array) { std::memcpy(expected.data(), &array.at(kHuge - 1, 1), each); });
        REQUIRE(last == expected);
    }
}

TEST_CASE("A file written by rows is the one written whole") {
    const ScratchFolder folder;
    const Field field = make_noise_rows(DType::float64, 33, 0, 57, 5);
    write_npy(folder / "whole.npy", field);
    const std::string hash = write_npy_rows(folder / "rows.npy", 33, 57, [&](const RowSink& sink) {
        const FieldRows source({&field});
        for (const auto& [first, rows] : {std::pair{0, 20}, {20, 1}, {21, 36}})
            sink(first, source.rows(0, first, rows));
    });
    REQUIRE(read_bytes(folder / "rows.npy") == read_bytes(folder / "whole.npy"));
    REQUIRE(hash == field_hash(field));
    const auto files = file_rows({folder / "rows.npy"});
    const SeenField seen = look_at(*files, 0);
    REQUIRE(seen.hash == hash);
    REQUIRE(seen.statistics.min == statistics_of(field).min);
    REQUIRE(seen.statistics.not_finite == 0);
    write_npy(folder / "other.npy", Field(random_field(3, 4)));
    REQUIRE(contains(input_error([&] {
                         file_rows({folder / "rows.npy", folder / "other.npy"});
                     }),
                     "other.npy"));
}

TEST_CASE("A field's hash takes every NaN for the same, and is else one of its bits") {
    const auto hash = [](float odd_one) {
        Field field = Field(array_of(5, 3, [](int x, int y) { return 0.5 * (x - y); })).to(DType::float32);
        field.as<float>().at(2, 1) = odd_one;
        return field_hash(field);
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(hash(nan) == hash(-nan));
    REQUIRE(hash(nan) == hash(std::nanf("123")));
    REQUIRE(hash(nan) != hash(0.5f));
    REQUIRE(hash(0.0f) != hash(-0.0f));
}
