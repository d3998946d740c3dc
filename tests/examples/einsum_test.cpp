#include <complex>

#include "kernels/cpu/thread_pool.h"
#include "sim/field/random.h"
#include "sim/files/npy.h"
#include "tests/support/examples/einsum_checks.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

using namespace stencil::einsum;

namespace {

ThreadPool& threads() {
    static ThreadPool pool(3);
    return pool;
}

template <class T>
std::vector<T> run_plan(const Plan& plan, const std::vector<const T*>& operands) {
    std::vector<T> scratch(std::size_t(plan.scratch_values), T(NAN));
    std::vector<T> result(std::size_t(plan.tensors.back().values), T(NAN));
    const auto arithmetic = cpu_einsum_arithmetic<T>(threads(), [] {});
    execute_plan<T>(plan, *arithmetic, operands, scratch.data(), result.data());
    return result;
}

template <class T>
double error_of(Dice& random, const EinsumCase& one) {
    const Contraction contraction = contraction_of(one);
    const auto operands = random_operands<T>(random, one.shapes);
    const NaiveEinsum truth = naive_einsum(one, operands);
    REQUIRE(contraction.output_shape() == truth.shape);
    return einsum_error(truth, run_plan(make_plan(contraction), pointers_to(operands)));
}

void require_said(const std::string& message, const char* said) {
    CAPTURE(message);
    REQUIRE(message.starts_with("subscripts: "));
    REQUIRE(contains(message, said));
    REQUIRE_FALSE(contains(message, "\n"));
}

EinsumCase random_case(Dice& random) {
    const std::string alphabet = "abcXYz";
    std::map<char, std::int64_t> sizes;
    for (const char label : alphabet) sizes[label] = random.integer(1, 4);
    const std::vector<std::int64_t> dots = {random.integer(1, 3), random.integer(1, 3)};
    EinsumCase one;
    std::string used;
    bool has_dots = false;
    const int operands = random.integer(1, 4);
    for (int i = 0; i < operands; ++i) {
        if (i > 0) one.subscripts += ',';
        auto& shape = one.shapes.emplace_back();
        std::map<char, std::int64_t> own;
        const int labels = random.integer(0, 4);
        const int dots_at = random.integer(0, 2) == 0 ? random.integer(0, labels) : -1;
        for (int k = 0; k <= labels; ++k) {
            if (k == dots_at) {
                one.subscripts += "...";
                has_dots = true;
                for (int d = random.integer(0, 2); d < 2; ++d)
                    shape.push_back(random.integer(0, 4) == 0 ? 1 : dots[std::size_t(d)]);
            }
            if (k == labels) break;
            const char label = alphabet[std::size_t(random.integer(0, 5))];
            const auto size = own.emplace(label, random.integer(0, 6) == 0 ? 1 : sizes[label]).first->second;
            one.subscripts += label;
            shape.push_back(size);
            if (used.find(label) == std::string::npos) used += label;
        }
    }
    if (random.integer(0, 2) > 0) {
        std::shuffle(used.begin(), used.end(), random.engine);
        std::string output = used.substr(0, std::size_t(random.integer(0, int(used.size()))));
        if (has_dots) output.insert(std::size_t(random.integer(0, int(output.size()))), "...");
        one.subscripts += "->" + output;
    }
    return one;
}

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the CPU is what NumPy's rules say", "", float, double) {
    Dice random;
    for (const auto& cases : {kEinsumCases, kOddEinsumCases, kLargerEinsumCases})
        for (const EinsumCase& one : cases) {
            // OpenBLAS multiplies these, unwatched, and the plain loops take half a minute.
            if (kWatchedMemory && one.subscripts.starts_with("ij,jk->") && one.shapes[0][0] > 100) continue;
            CAPTURE(one.subscripts, one.shapes);
            CHECK(error_of<TestType>(random, one) <= kEinsumTolerance<TestType>);
        }
}

TEST_CASE("Einsum on the CPU is right for random subscripts and shapes") {
    Dice random;
    for (int i = 0; i < 400; ++i) {
        const EinsumCase one = random_case(random);
        CAPTURE(one.subscripts, one.shapes);
        CHECK(error_of<double>(random, one) <= kEinsumTolerance<double>);
    }
}

TEST_CASE("Errors in subscripts name what is wrong in one line") {
    for (const auto& [text, said] : {std::pair{"ij,jk->ikl", "'l' is in no operand"},
                                     {"i1", "'1' is not a label"},
                                     {"i\xc3\xa9", "byte 195 is not a label"},
                                     {"i->ii", "'i' twice"},
                                     {"i..", "not part of '...'"},
                                     {".i...", "not part of '...'"},
                                     {"...i...", "a second '...'"},
                                     {"i-j", "'-' without '>'"},
                                     {"i>j", "'>' without '-'"},
                                     {"i->i->i", "a second '->'"},
                                     {"i->i,", "a comma in the output"},
                                     {"i->..", "not part of '...'"},
                                     {"j$", "'$' is not a label"}}) {
        CAPTURE(text);
        require_said(message_of<InputError>([&, t = text] { parse_subscripts(t); }), said);
    }
    CHECK(contains(message_of<InputError>([] { parse_subscripts(std::string(64, ',')); }), "at most 12"));
    CHECK(contains(message_of<InputError>([] { parse_subscripts(std::string(20'000, 'i')); }), "20000"));
}

TEST_CASE("Errors between subscripts and operands name what is wrong in one line") {
    const std::pair<EinsumCase, const char*> mistakes[] = {
        {{"i", {{2, 3}}}, "shape (2, 3), 2 axes, but 1 label and no '...'"},
        {{"i,jk", {{2}, {3}}}, "operand 1 has shape (3,), 1 axis, but 2 labels"},
        {{"ij...", {{2}}}, "operand 0 has shape (2,), 1 axis, but 2 labels"},
        {{"ij,jk", {{2, 3}, {4, 5}}}, "'j' has length 4 in operand 1 and 3 before it"},
        {{"ii", {{1, 3}}}, "'i' stands for axes of lengths 1 and 3 of operand 0"},
        {{"...,Za->Z", {{3}, {2, 2}}}, "the output lacks '...'"},
        {{"...->", {{3, 4}}}, "the output lacks '...'"},
        {{"...,...", {{2}, {3}}}, "an axis of '...' has length 3 in operand 1 and 2 before it"},
        {{"i,i", {{0}, {3}}}, "length 3 in operand 1 and 0 before it"},
        {{"i,j", {{2}}}, "for 2 operands, but there is 1"},
        {{"i", {{2}, {2}}}, "for 1 operand, but there are 2"},
        {{"a,b->ab", {{1 << 20}, {1 << 20}}}, "at most 2^40 are allowed"}};
    for (const auto& [one, said] : mistakes) {
        CAPTURE(one.subscripts);
        require_said(message_of<InputError>([&, &one = one] { contraction_of(one); }), said);
    }
    CHECK(contraction_of({"...i->", {{4}}}).output.empty());  // without axes, as in NumPy
}

TEST_CASE("Sizes of labels are read, and refused where they are none") {
    const LabelSizes sizes = parse_label_sizes("i=100,B=2,...=4x5");
    CHECK(sizes.labels == std::map<char, std::int64_t>{{'i', 100}, {'B', 2}});
    CHECK(sizes.ellipsis == std::vector<std::int64_t>{4, 5});
    const auto shapes = shapes_for(parse_subscripts("...i,Bi..."), sizes);
    CHECK(shapes == Shapes{{4, 5, 100}, {2, 100, 4, 5}});
    for (const std::string& bad :
         items("i | i= | i=x | i=-1 | =3 | ij=3 | 1=3 | ...=4x | i=2,,j=3 | i=1099511627776 | "
               "i=99999999999999999999999 | i=3.5")) {
        CAPTURE(bad);
        const std::string message = message_of<InputError>([&] { parse_label_sizes(bad); });
        CHECK(message.substr(0, 6) == "sizes:");
    }
    CHECK(message_of<InputError>([&] { shapes_for(parse_subscripts("ij,jk"), sizes); }) ==
          "subscripts: label 'j' has no size; give it in --sizes, or operands as files");
}

TEST_CASE("What occurs in one operand alone is summed first, in one pass over each operand") {
    const Plan plan = make_plan(contraction_of({"ij,jk->...k", {{1000, 500}, {500, 700}}}));
    REQUIRE(plan.steps.size() == 2);
    CHECK(plan.steps[0].kind == "sums of columns");
    CHECK(plan.steps[0].subscripts == "ij->j");
    CHECK(plan.steps[1].kind == "weighted sums of columns");
    CHECK(plan.flops() == 1000 * 500 + 2 * 500 * 700);
    CHECK(plan.largest_intermediate == 500);
    CHECK(contraction_of({"ij,jk->...k", {{10, 20}, {20, 30}}}).naive_flops() == 2 * 10 * 20 * 30);
}

TEST_CASE("Matrix products take transposed factors and write transposed results without copies") {
    for (const std::string& subscripts :
         items("ij,jk->ik | ij,jk->ki | ji,jk->ik | ij,kj->ki | bij,bjk->bik | ibj,bjk->ibk | "
               "abij,abjk->abik | bij,bkj->bki")) {
        CAPTURE(subscripts);
        const Subscripts parsed = parse_subscripts(subscripts);
        LabelSizes sizes;
        sizes.labels = {{'a', 2}, {'b', 3}, {'i', 4}, {'j', 5}, {'k', 6}};
        CHECK(make_plan(bind_subscripts(parsed, shapes_for(parsed, sizes))).steps.size() == 1);
    }
}

TEST_CASE("The order of products is the cheapest of all") {
    const auto flops = [](const std::string& subscripts, const Shapes& shapes) {
        return make_plan(contraction_of({subscripts, shapes})).flops();
    };
    // Contracting from the right is cheaper: 2 (30 20 1) + 2 (10 30 1), not 2 (10 30 20) + ...
    CHECK(flops("ij,jk,k->i", {{10, 30}, {30, 20}, {20}}) == 2 * 30 * 20 + 2 * 10 * 30);
    CHECK(flops("ij,jk,kl->il", {{10, 100}, {100, 5}, {5, 50}}) == 2 * 10 * 100 * 5 + 2 * 10 * 5 * 50);
    // Transforming a tensor along one axis after another takes 5 labels at a time instead of 8.
    CHECK(flops("ea,fb,abcd,gc,hd->efgh", {{8, 8}, {8, 8}, {8, 8, 8, 8}, {8, 8}, {8, 8}}) ==
          4 * 2 * std::pow(8, 5));
    // A chain of twelve: no step has more than three labels.
    std::string chain;
    Shapes shapes;
    for (char label = 'a'; label < 'm'; ++label) {
        chain += std::string(label > 'a' ? "," : "") + label + char(label + 1);
        shapes.push_back({6, 6});
    }
    CHECK(flops(chain + "->am", shapes) == 11 * 2 * 6 * 6 * 6);
}

TEST_CASE("Intermediates of 2^40 values and more are refused, however few the operands and the result have") {
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    EinsumCase one;
    for (std::size_t operand = 0; operand < 6; ++operand) {
        if (operand > 0) one.subscripts += ',';
        for (std::size_t i = 0; i < 34; ++i) one.subscripts += letters[(9 * operand + i) % letters.size()];
        one.shapes.emplace_back(34, 2);
    }
    one.subscripts += "->" + letters.substr(0, 38);
    const Contraction contraction = contraction_of(one);
    const std::string why = message_of<InputError>([&] { make_plan(contraction); });
    CHECK(contains(why, "intermediate"));
    CHECK(contains(why, "2^40"));
}

TEST_CASE("The example computes operands from files and writes NumPy's result") {
    Dice random;
    const ScratchFolder folder;
    const EinsumCase one{"i...j,j->...i", {{4, 3, 5}, {5}}};
    const auto operands = random_operands<double>(random, one.shapes);
    write_npy_array(folder / "a.npy", {one.shapes[0], operands[0]});
    const std::vector<float> second(operands[1].begin(), operands[1].end());
    write_npy_array(folder / "b.npy", {one.shapes[1], second});
    ExampleRequest asked = request("einsum",
                                   {{"subscripts", one.subscripts},
                                    {"operand", (folder / "a.npy").string()},
                                    {"operand", (folder / "b.npy").string()}});
    asked.out = folder.path().string();
    const Machine machine = query_machine();
    const Report report = run_example(asked, machine, {});
    const NaiveEinsum truth(one, {operands[0], std::vector<double>(second.begin(), second.end())});
    // One operand is float64, so the float64 row comes first.
    REQUIRE(report.rows.size() == 2);
    CHECK(report.rows[0].dtype == DType::float64);
    for (const ReportRow& row : report.rows) {
        CHECK_FALSE(row.failed);
        CHECK(row.error <= kEinsumTolerance<float>);
        CHECK(row.seconds > 0);
    }
    CHECK(report.rows[0].error <= 1e-14);
    CHECK(report.files == std::vector<std::string>{(folder / "result.npy").string()});
    CHECK(read_npy_header(folder / "result.npy").descr == "<f8");
    const NpyArray result = read_npy_array(folder / "result.npy", DType::float64);
    CHECK(result.shape == truth.shape);
    CHECK(einsum_error(truth, std::get<1>(result.values)) <= kEinsumTolerance<double>);
    REQUIRE(report.tables.size() == 1);
    CHECK(report.tables[0].id == "path");
    // Sizes and seed apply to random operands only.
    CHECK(report.settings.contains("operand"));
    CHECK_FALSE(report.settings.contains("sizes"));
    CHECK_FALSE(report.settings.contains("seed"));

    asked.options.set("dtype", "float32");
    run_example(asked, machine, {});
    CHECK(read_npy_header(folder / "result.npy").descr == "<f4");
}

TEST_CASE(
    "Results have NumPy's types: integers are exact and wrap, bool is logical or, complex stays complex") {
    const ScratchFolder folder;
    const auto write = [&](const char* name, const char* descr, const auto& values) {
        const std::int64_t shape[] = {std::int64_t(values.size())};
        write_npy_bytes(folder / name, descr, shape, std::as_bytes(std::span(values)));
        return (folder / name).string();
    };
    // Runs "i,i->" of two files; returns the result's file.
    const auto product = [&](const std::string& a, const std::string& b) {
        ExampleRequest asked = request("einsum", {{"subscripts", "i,i->"}, {"operand", a}, {"operand", b}});
        asked.out = folder.path().string();
        const Report report = run_example(asked, query_machine(), {});
        REQUIRE_FALSE(report.rows.front().failed);
        REQUIRE(report.rows.front().error <= 1e-3);
        const NpyHeader header = read_npy_header(folder / "result.npy");
        REQUIRE(header.shape.empty());
        return header.descr;
    };
    const auto integer = [&] {
        return std::int64_t(read_npy_values<std::uint64_t>(folder / "result.npy")[0]);
    };
    const auto number = [&] { return read_npy_values<std::complex<double>>(folder / "result.npy")[0]; };
    const std::int64_t large = (std::int64_t(1) << 53) + 1;
    const std::string i8 = write("i8", "<i8", std::vector<std::int64_t>{large, -3});
    const std::string ones = write("ones", "<i8", std::vector<std::int64_t>{1, 1});
    CHECK(product(i8, ones) == "<i8");
    CHECK(integer() == large - 3);
    CHECK(product(i8, i8) == "<i8");
    CHECK(integer() == std::int64_t(std::uint64_t(large) * std::uint64_t(large) + 9));
    const std::string i1 = write("i1", "|i1", std::vector<std::int8_t>{100, 2});
    CHECK(product(i1, i1) == "|i1");
    CHECK(integer() == std::int8_t(10004));
    const std::string u1 = write("u1", "|u1", std::vector<std::uint8_t>{200, 1});
    CHECK(product(i1, u1) == "<i2");
    CHECK(integer() == 20002);
    const std::string u8 = write("u8", "<u8", std::vector<std::uint64_t>{~std::uint64_t(0), 1});
    CHECK(product(u8, u1) == "<u8");
    CHECK(std::uint64_t(integer()) == std::uint64_t(0) - 200 + 1);
    CHECK(product(u8, i8) == "<f8");
    CHECK(number().real() == -3 + double(large) * 0x1p64);
    const std::string b1 = write("b1", "|b1", std::vector<std::uint8_t>{1, 1});
    CHECK(product(b1, b1) == "|b1");
    CHECK(integer() == 1);
    CHECK(product(b1, i1) == "|i1");
    CHECK(integer() == 102);
    const std::string f4 = write("f4", "<f4", std::vector<float>{0.5f, 2}),
                      f2 = write("f2", "<f2", std::vector<std::uint16_t>{0x3555, 0x0001});
    CHECK(product(f4, i1) == "<f4");
    CHECK(product(f4, i8) == "<f8");
    CHECK(number().real() == double(large) / 2 - 6);
    CHECK(product(f2, f2) == "<f2");
    CHECK(number().real() == Approx(0.33325195 * 0.33325195).epsilon(1e-3));
    CHECK(product(f2, i1) == "<f2");
    CHECK(product(f2, b1) == "<f2");
    CHECK(number().real() == 0.333251953125);
    const std::string c8 = write("c8", "<c8", std::vector<std::complex<float>>{{1, 2}, {0, -1}});
    CHECK(product(c8, c8) == "<c8");
    CHECK(number() == std::complex<double>(-4, 4));
    CHECK(product(c8, f2) == "<c8");
    const std::string c16 = write("c16", "<c16", std::vector<std::complex<double>>{{1e200, 2}, {0, -1}});
    CHECK(product(c16, i8) == "<c16");
    CHECK(number() == std::complex<double>(1e200 * double(large), 2 * double(large) + 3));
    CHECK(product(c8, i8) == "<c16");
    // A name is a type as well, for NumPy.
    std::string named = read_bytes(f4);
    named.replace(named.find("'<f4'"), 5, "'float32'").erase(named.find("}") + 1, 4);
    write_bytes(folder / "named.npy", named);
    CHECK(product((folder / "named.npy").string(), f4) == "<f4");
    ExampleRequest asked = request("einsum", {{"subscripts", "i"}, {"operand", c8}});
    asked.options.set("dtype", "float32");
    CHECK(contains(message_of<InputError>([&] { run_example(asked, query_machine(), {}); }),
                   "dtype '<c8'; allowed: float16, float32"));
}

TEST_CASE("Einsum in plain loops is what NumPy's rules say") {
    Dice random;
    for (const auto& cases : {kEinsumCases, kOddEinsumCases})
        for (const EinsumCase& one : cases) {
            CAPTURE(one.subscripts, one.shapes);
            std::vector<std::vector<double>> wide;
            std::vector<std::vector<std::uint64_t>> integers;
            std::vector<std::vector<std::complex<double>>> complex;
            for (const auto& shape : one.shapes) {
                wide.emplace_back(std::size_t(product_of(shape)));
                for (double& value : wide.back()) value = random.integer(0, 9);
                integers.emplace_back(wide.back().begin(), wide.back().end());
                complex.emplace_back(wide.back().begin(), wide.back().end());
            }
            const NaiveEinsum truth(one, wide);
            const Plan plan = make_plan(contraction_of(one));
            const auto run = [&]<class T>(const std::vector<std::vector<T>>& operands) {
                std::vector<T> scratch(std::size_t(plan.scratch_values)), result(truth.values.size(), T(77));
                const auto arithmetic = plain_einsum_arithmetic<T>(threads(), [] {});
                execute_plan<T>(plan, *arithmetic, pointers_to(operands), scratch.data(), result.data());
                return result;
            };
            CHECK(run(integers) == std::vector<std::uint64_t>(truth.values.begin(), truth.values.end()));
            CHECK(run(complex) ==
                  std::vector<std::complex<double>>(truth.values.begin(), truth.values.end()));
        }
}

TEST_CASE("The example's random operands are NumPy's, one after the other from one generator") {
    const ScratchFolder folder;
    ExampleRequest asked = request(
        "einsum", {{"subscripts", "i,j->ij"}, {"sizes", "i=3,j=2"}, {"seed", "42"}, {"repetitions", "1"}});
    asked.options.set("dtype", "float64");
    asked.out = folder.path().string();
    run_example(asked, query_machine(), {});
    const auto values = std::get<1>(read_npy_array(folder / "result.npy", DType::float64).values);
    Random random(42);
    double a[3], b[2];
    for (double& value : a) value = random.next_double();
    for (double& value : b) value = random.next_double();
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) CHECK(values[2 * i + j] == a[i] * b[j]);
}

TEST_CASE("The example refuses what it cannot do before it starts") {
    const auto message = [](const Options& options) {
        return message_of<InputError>([&] { run_example(request("einsum", options), query_machine(), {}); });
    };
    CHECK(contains(message({{"subscripts", "ij,jk->ikl"}}), "'l' is in no operand"));
    CHECK(contains(message({{"sizes", "i=3"}}), "label 'j' has no size"));
    CHECK(contains(message({{"operand", "/nowhere/a.npy"}}), "/nowhere/a.npy: there is no such file"));
    const ScratchFolder folder;
    write_npy_array(folder / "a.npy", {{2, 3}, std::vector<float>(6)});
    const std::string file = (folder / "a.npy").string();
    CHECK(contains(message({{"operand", file}}), "subscripts for 2 operands, but there is 1"));
    CHECK(message({{"subscripts", "ij"}, {"operand", file}, {"sizes", "i=3"}}).substr(0, 6) == "sizes:");
}
