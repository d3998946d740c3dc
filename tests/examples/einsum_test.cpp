#include "sim/examples/einsum/einsum.h"

#include <algorithm>
#include <numeric>

#include "kernels/cpu/thread_pool.h"
#include "sim/examples/context.h"
#include "sim/examples/einsum/direct_loop.h"
#include "sim/examples/einsum/operands.h"
#include "sim/examples/einsum/path.h"
#include "sim/field/random.h"
#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "tests/support/examples/einsum_checks.h"

using namespace stencil;
using namespace stencil::einsum;
using namespace stencil_test;

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

// What is said about subscripts and shapes that don't agree.
std::string refusal(const std::string& subscripts, const Shapes& shapes) {
    return message_of<InputError>([&] { contraction_of({subscripts, shapes}); });
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

ExampleRequest request_with(const std::vector<std::pair<std::string, std::string>>& options) {
    ExampleRequest request = request_for(kEinsumExample);
    request.backend = "cpu";
    request.threads = 2;
    request.repeats = 1;
    for (const auto& [name, text] : options) request.options.set(name, text);
    return request;
}

// Runs pieces one by one, as a device would.
template <class T>
std::vector<T> run_in_pieces(const Slicing& slicing, const std::vector<const T*>& operands) {
    std::size_t count = 1;
    for (const std::int64_t n : slicing.contraction().output_shape()) count *= std::size_t(n);
    std::vector<T> result(count, T(NAN)), sum;
    std::vector<std::vector<T>> boxes(operands.size());
    slicing.for_pieces([&](const Piece& piece) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (!piece.changed[i]) continue;
            const ArrayBox box = slicing.operand_box(i, piece);
            boxes[i].assign(std::size_t(box.values()), T(NAN));
            box.pack(threads(), operands[i], 0, std::span(boxes[i]));
        }
        const auto part = run_plan(slicing.plan(piece), pointers_to(boxes));
        if (piece.first_part) sum.assign(part.size(), T(0));
        std::transform(part.begin(), part.end(), sum.begin(), sum.begin(), std::plus());
        if (piece.last_part)
            slicing.result_box(piece).unpack(threads(), std::span<const T>(sum), 0, result.data());
    });
    return result;
}

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the CPU is what NumPy's rules say", "", float, double) {
    Dice random;
    CAPTURE(random.seed);
    for (const EinsumCase& one : kEinsumCases) {
        CAPTURE(one.subscripts, one.shapes);
        CHECK(error_of<TestType>(random, one) <= kEinsumTolerance<TestType>);
    }
}

TEST_CASE("Einsum on the CPU is right for random subscripts and shapes") {
    Dice random;
    CAPTURE(random.seed);
    for (int i = 0; i < 400; ++i) {
        const EinsumCase one = random_case(random);
        CAPTURE(one.subscripts, one.shapes);
        CHECK(error_of<double>(random, one) <= kEinsumTolerance<double>);
    }
}

TEST_CASE("Large and long einsums are shared out among threads and come out right") {
    Dice random;
    CAPTURE(random.seed);
    const std::vector<EinsumCase> cases = {{"ij,jk->...k", {{203, 157}, {157, 301}}},
                                           {"ij->i", {{3, 200'003}}},
                                           {"ij,j->i", {{2, 100'003}, {100'003}}},
                                           {"ijk->ik", {{3, 301, 203}}},
                                           {"ijk->kj", {{3, 301, 203}}},
                                           {"ijk,j->ik", {{70, 31, 43}, {31}}},
                                           {"bij,bjk->bki", {{300, 5, 6}, {300, 6, 7}}},
                                           {"i,i->", {{300'001}, {300'001}}},
                                           {"ij->ji", {{1003, 517}}},
                                           {"ii->i", {{501, 501}}},
                                           {"bij,bi->bj", {{2, 300, 400}, {2, 300}}},
                                           {"bij,ib->bj", {{2, 300, 400}, {300, 2}}},
                                           {"bi,bi->b", {{3, 50001}, {3, 50001}}}};
    for (const EinsumCase& one : cases) {
        CAPTURE(one.subscripts, one.shapes);
        CHECK(error_of<float>(random, one) <= kEinsumTolerance<float>);
    }
}

TEST_CASE("The direct loop of one value agrees with the loop over all labels") {
    Dice random;
    CAPTURE(random.seed);
    for (const EinsumCase& one : kEinsumCases) {
        CAPTURE(one.subscripts, one.shapes);
        const auto operands = random_operands<double>(random, one.shapes);
        const NaiveEinsum truth = naive_einsum(one, operands);
        if (truth.values.empty()) continue;
        const int at = random.integer(0, int(truth.values.size()) - 1);
        const double value = double(direct_value<double>(contraction_of(one), pointers_to(operands), at));
        CHECK(std::abs(value - truth.values[std::size_t(at)]) <=
              1e-13 * std::max(1e-300, truth.magnitudes[std::size_t(at)]));
    }
}

TEST_CASE("Errors in subscripts have a caret under the place") {
    const auto message = [](const std::string& text) {
        return message_of<InputError>([&] { parse_subscripts(text); });
    };
    CHECK(message("ij,jk->ikl") ==
          "--subscripts: the output's label 'l' is in no operand\n  ij,jk->ikl\n           ^");
    CHECK(message("i1") == "--subscripts: '1' is no label; labels are letters\n  i1\n   ^");
    CHECK(message("i\xc3\xa9") == "--subscripts: byte 195 is no label; labels are letters\n  i??\n   ^");
    CHECK(message("i->ii") == "--subscripts: the output has label 'i' twice\n  i->ii\n      ^");
    CHECK(message("i..") == "--subscripts: a '.' that is not part of '...'\n  i..\n   ^");
    CHECK(message(".i...") == "--subscripts: a '.' that is not part of '...'\n  .i...\n  ^");
    CHECK(message("...i...") ==
          "--subscripts: a second '...'; one is allowed for each operand\n  ...i...\n      ^");
    CHECK(message("i-j") == "--subscripts: '-' without '>' after it; the output follows '->'\n  i-j\n   ^");
    CHECK(message("i>j") == "--subscripts: '>' without '-' before it; the output follows '->'\n  i>j\n   ^");
    CHECK(message("i->j->k").find("the output's label 'j'") == std::string::npos);
    CHECK(message("i->i->i") == "--subscripts: a second '->'\n  i->i->i\n      ^");
    CHECK(message("i->i,") == "--subscripts: a comma in the output; there is one output\n  i->i,\n      ^");
    CHECK(message("i->..") == "--subscripts: a '.' that is not part of '...'\n  i->..\n     ^");
    CHECK(message("j$") == "--subscripts: '$' is no label; labels are letters\n  j$\n   ^");
    const std::string many(64, ',');
    CHECK(message(many).substr(0, 48) == "--subscripts: at most 64 operands are allowed\n  ");
    CHECK(message(std::string(20'000, 'i')).find("20000 characters") != std::string::npos);
}

TEST_CASE("Errors between subscripts and operands have a caret under the place") {
    CHECK(refusal("i", {{2, 3}}) ==
          "--subscripts: operand 0 has shape (2, 3), 2 axes, but 1 label and no '...' for the others\n  i\n  "
          "^");
    CHECK(refusal("i,jk", {{2}, {3}}) ==
          "--subscripts: operand 1 has shape (3,), 1 axis, but 2 labels\n  i,jk\n    ^");
    CHECK(refusal("ij...", {{2}}) ==
          "--subscripts: operand 0 has shape (2,), 1 axis, but 2 labels\n  ij...\n  ^");
    CHECK(refusal("ij,jk", {{2, 3}, {4, 5}}) ==
          "--subscripts: label 'j' has length 4 in operand 1 and 3 before it\n  ij,jk\n     ^");
    CHECK(refusal("ii", {{1, 3}}) ==
          "--subscripts: label 'i' stands for axes of lengths 1 and 3 of operand 0\n  ii\n   ^");
    CHECK(refusal("...,Za->Z", {{3}, {2, 2}}).find("the output lacks '...'") != std::string::npos);
    CHECK(refusal("...->", {{3, 4}}).find("the output lacks '...'") != std::string::npos);
    CHECK(contraction_of({"...i->", {{4}}}).output.empty());  // no axes, as NumPy takes it
    CHECK(refusal("...,...", {{2}, {3}}) ==
          "--subscripts: an axis of '...' has length 3 in operand 1 and 2 before it\n  ...,...\n      ^");
    CHECK(refusal("i,i", {{0}, {3}}).find("length 3 in operand 1 and 0 before it") != std::string::npos);
    CHECK(refusal("i,j", {{2}}) == "--subscripts: subscripts for 2 operands, but there is 1\n  i,j\n    ^");
    CHECK(refusal("i", {{2}, {2}}) == "--subscripts: subscripts for 1 operand, but there are 2\n  i\n  ^");
    CHECK(refusal("a,b->ab", {{1 << 20}, {1 << 20}}).find("at most 2^40 are allowed") != std::string::npos);
}

TEST_CASE("Sizes of labels are read, and refused where they are none") {
    const LabelSizes sizes = parse_label_sizes("i=100,B=2,...=4x5");
    CHECK(sizes.labels == std::map<char, std::int64_t>{{'i', 100}, {'B', 2}});
    CHECK(sizes.ellipsis == std::vector<std::int64_t>{4, 5});
    const auto shapes = shapes_for(parse_subscripts("...i,Bi..."), sizes);
    CHECK(shapes == Shapes{{4, 5, 100}, {2, 100, 4, 5}});
    for (const char* bad : {"i",
                            "i=",
                            "i=x",
                            "i=-1",
                            "=3",
                            "ij=3",
                            "1=3",
                            "...=4x",
                            "i=2,,j=3",
                            "i=1099511627776",
                            "i=99999999999999999999999",
                            "i=3.5"}) {
        CAPTURE(bad);
        const std::string message = message_of<InputError>([&] { parse_label_sizes(bad); });
        CHECK(message.substr(0, 8) == "--sizes:");
    }
    CHECK(message_of<InputError>([&] { shapes_for(parse_subscripts("ij,jk"), sizes); }) ==
          "--subscripts: label 'j' has no size; give it in --sizes, or operands as files\n  ij,jk\n   ^");
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
    for (const char* subscripts : {"ij,jk->ik",
                                   "ij,jk->ki",
                                   "ji,jk->ik",
                                   "ij,kj->ki",
                                   "bij,bjk->bik",
                                   "ibj,bjk->ibk",
                                   "abij,abjk->abik",
                                   "bij,bkj->bki"}) {
        CAPTURE(subscripts);
        const Subscripts parsed = parse_subscripts(subscripts);
        LabelSizes sizes;
        sizes.labels = {{'a', 2}, {'b', 3}, {'i', 4}, {'j', 5}, {'k', 6}};
        CHECK(make_plan(bind_subscripts(parsed, shapes_for(parsed, sizes))).steps.size() == 1);
    }
}

TEST_CASE("The path is the cheapest of all for few operands, and a good one for many") {
    const auto flops = [](const std::string& subscripts, const Shapes& shapes) {
        return make_plan(contraction_of({subscripts, shapes})).flops();
    };
    // From the right: 2 (30 20 1) + 2 (10 30 1), not 2 (10 30 20) + ...
    CHECK(flops("ij,jk,k->i", {{10, 30}, {30, 20}, {20}}) == 2 * 30 * 20 + 2 * 10 * 30);
    CHECK(flops("ij,jk,kl->il", {{10, 100}, {100, 5}, {5, 50}}) == 2 * 10 * 100 * 5 + 2 * 10 * 5 * 50);
    // Four transformations of a tensor one after the other: 5 labels at a time instead of 8.
    CHECK(flops("ea,fb,abcd,gc,hd->efgh", {{8, 8}, {8, 8}, {8, 8, 8, 8}, {8, 8}, {8, 8}}) ==
          4 * 2 * std::pow(8, 5));
    // A chain of twelve: greedily, no step has more than three labels.
    std::string chain;
    Shapes shapes;
    for (char label = 'a'; label < 'm'; ++label) {
        chain += std::string(label > 'a' ? "," : "") + label + char(label + 1);
        shapes.push_back({6, 6});
    }
    CHECK(flops(chain + "->am", shapes) == 11 * 2 * 6 * 6 * 6);
}

TEST_CASE("Intermediates that are needed at the same time do not share memory") {
    const Plan plan = make_plan(contraction_of(
        {"ab,bc,cd,de,ef,fg->ag", {{20, 20}, {20, 20}, {20, 20}, {20, 20}, {20, 20}, {20, 20}}}));
    REQUIRE(plan.steps.size() == 5);
    CHECK(plan.scratch_values >= 400);
    CHECK(plan.scratch_values <= 3 * 448);
}

TEST_CASE("Boxes of arrays are packed and put back") {
    Dice random;
    CAPTURE(random.seed);
    std::vector<double> array(5 * 6 * 7);
    std::iota(array.begin(), array.end(), 0.0);
    const std::vector<std::int64_t> shape = {5, 6, 7}, begin = {1, 2, 3}, lengths = {3, 2, 4};
    const ArrayBox box(shape, begin, lengths);
    REQUIRE(box.values() == 24);
    std::vector<double> packed(17, NAN);
    box.pack(threads(), array.data(), 5, std::span(packed));
    for (std::int64_t n = 0; n < 17; ++n) {
        const std::int64_t i = (n + 5) / 8, j = (n + 5) / 4 % 2, k = (n + 5) % 4;
        CHECK(packed[std::size_t(n)] == array[std::size_t(((1 + i) * 6 + 2 + j) * 7 + 3 + k)]);
    }
    std::vector<double> copy(array.size(), -1);
    box.unpack(threads(), std::span<const double>(packed), 5, copy.data());
    CHECK(std::ranges::count(copy, -1) == 210 - 17);
    for (std::size_t i = 0; i < copy.size(); ++i)
        if (copy[i] != -1) CHECK(copy[i] == array[i]);
}

TEST_CASE("Pieces add up to the whole at three limits of memory") {
    Dice random;
    CAPTURE(random.seed);
    const EinsumCase one = GENERATE(as<EinsumCase>(),
                                    EinsumCase{"ij,jk->...k", {{103, 57}, {57, 71}}},
                                    EinsumCase{"ij,jk->ik", {{103, 57}, {57, 71}}},
                                    EinsumCase{"bij,bjk->ikb", {{7, 13, 17}, {7, 17, 11}}},
                                    EinsumCase{"ij,j,jk->ki", {{33, 29}, {1}, {29, 31}}},
                                    EinsumCase{"iij,...j->i...", {{23, 23, 19}, {5, 7, 19}}},
                                    EinsumCase{"i,j->ij", {{101}, {203}}},
                                    EinsumCase{"ij->", {{101, 203}}});
    CAPTURE(one.subscripts);
    const Contraction contraction = contraction_of(one);
    const auto operands = random_operands<float>(random, one.shapes);
    const NaiveEinsum truth = naive_einsum(one, operands);
    const StepBytes extra = [](const Plan&) { return std::size_t(300); };
    const Slicing whole = choose_slicing(contraction, 4, 1e9, extra);
    CHECK_FALSE(whole.is_sliced());
    for (const double share : {0.7, 0.4, 0.25}) {
        CAPTURE(share);
        const double budget = std::max(share * whole.bytes(), 6000.0);
        const Slicing slicing = choose_slicing(contraction, 4, budget, extra);
        CHECK(slicing.bytes() <= budget);
        CHECK(slicing.is_sliced());
        CHECK(einsum_error(truth, run_in_pieces(slicing, pointers_to(operands))) <= kEinsumTolerance<float>);
    }
    const std::string message =
        message_of<MachineError>([&] { choose_slicing(contraction, 4, 1000, extra); });
    CAPTURE(message);
    const std::string start = "einsum: in the smallest pieces it needs ";
    REQUIRE(message.substr(0, start.size()) == start);
    // What it says would do does.
    const double least = std::stod(message.substr(start.size()));
    CHECK(choose_slicing(contraction, 4, least, extra).bytes() <= least);
}

TEST_CASE("The example computes operands from files and writes NumPy's result") {
    Dice random;
    CAPTURE(random.seed);
    const ScratchFolder folder;
    const EinsumCase one{"i...j,j->...i", {{4, 3, 5}, {5}}};
    const auto operands = random_operands<double>(random, one.shapes);
    write_npy_array(folder / "a.npy", {one.shapes[0], operands[0]});
    const std::vector<float> second(operands[1].begin(), operands[1].end());
    write_npy_array(folder / "b.npy", {one.shapes[1], second});
    ExampleRequest request = request_with({{"subscripts", one.subscripts},
                                           {"operand", (folder / "a.npy").string()},
                                           {"operand", (folder / "b.npy").string()}});
    request.out = folder.path().string();
    const Machine machine = query_machine();
    const Report report = run_example(request, machine, {});
    const NaiveEinsum truth(one, {operands[0], std::vector<double>(second.begin(), second.end())});
    // One operand is float64, so that is what comes first.
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
    // Sizes and seed are those of random operands.
    CHECK(report.settings.contains("operand"));
    CHECK_FALSE(report.settings.contains("sizes"));
    CHECK_FALSE(report.settings.contains("seed"));

    request.dtypes = {DType::float32};
    run_example(request, machine, {});
    CHECK(read_npy_header(folder / "result.npy").descr == "<f4");
}

TEST_CASE("The example's random operands are NumPy's, one after the other from one generator") {
    const ScratchFolder folder;
    ExampleRequest request =
        request_with({{"subscripts", "i,j->ij"}, {"sizes", "i=3,j=2"}, {"seed", "42"}, {"repetitions", "1"}});
    request.dtypes = {DType::float64};
    request.out = folder.path().string();
    run_example(request, query_machine(), {});
    const auto values = std::get<1>(read_npy_array(folder / "result.npy", DType::float64).values);
    Random random(42);
    double a[3], b[2];
    for (double& value : a) value = random.next_double();
    for (double& value : b) value = random.next_double();
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) CHECK(values[2 * i + j] == a[i] * b[j]);
}

TEST_CASE("The example refuses what it cannot do before it starts") {
    const auto message = [](const std::vector<std::pair<std::string, std::string>>& options) {
        return message_of<InputError>([&] { run_example(request_with(options), query_machine(), {}); });
    };
    CHECK(message({{"subscripts", "ij,jk->ikl"}}).find("'l' is in no operand") != std::string::npos);
    CHECK(message({{"sizes", "i=3"}}).find("label 'j' has no size") != std::string::npos);
    CHECK(message({{"operand", "/nowhere/a.npy"}}) == "/nowhere/a.npy: there is no such file");
    const ScratchFolder folder;
    write_npy_array(folder / "a.npy", {{2, 3}, std::vector<float>(6)});
    const std::string file = (folder / "a.npy").string();
    CHECK(message({{"operand", file}}).find("subscripts for 2 operands, but there is 1") !=
          std::string::npos);
    CHECK(message({{"subscripts", "ij"}, {"operand", file}, {"sizes", "i=3"}}).substr(0, 8) == "--sizes:");
}

TEST_CASE("The example ends soon after it was cancelled") {
    int asked = 0;
    ExampleWatch watch;
    watch.cancelled = [&] { return ++asked > 3; };
    const Report report =
        run_example(request_with({{"sizes", "i=3000,j=2000,k=2000"}}), query_machine(), watch);
    CHECK(report.interrupted);
    CHECK(report.rows.empty());
}
