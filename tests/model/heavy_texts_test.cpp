// Short texts with expensive meaning: each is stepped within seconds, or refused with a message.
#include <fmt/format.h>

#include <ctime>
#include <numeric>

#include "kernels/equation/operations.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/text/text_error.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;
using namespace stencil_test;

namespace {

std::string repeated(int count, const std::function<std::string(int)>& line) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line(i);
    return text;
}

struct Answer {
    std::string refused;  ///< empty: it was stepped
    double operations = 0;
};

// Compiles a text as before a first step, and makes two steps.
Answer answer(const std::string& text) {
    Answer result;
    try {
        const Equations e = read_equations(text);
        stable_step(
            e, scheme_of(e.stepper), {uniform_state(e, std::vector<double>(e.components.size(), 0.3))});
        result.operations = operations_of_cell(make_program(e, scheme_of(e.stepper), false));
        TypedRun run;
        run.steps = 2;
        run_typed<float>(text, run);
    } catch (const TextError& error) {
        result.refused = error.sentence();
    }
    return result;
}

}  // namespace

TEST_CASE("Short texts that mean much are stepped or refused within seconds") {
    struct Case {
        std::string text;
        double most_operations;  ///< per cell; 0: it is refused
    };
    const std::string doubled =
        repeated(40, [](int i) { return fmt::format("a{} = a{}*a{}\n", i + 1, i, i); });
    const auto c = GENERATE_COPY(values<Case>({
        {"du/dt = div(g40); g0 = grad(u)\n" +
             repeated(40, [](int i) { return fmt::format("g{} = g{} + g{}\n", i + 1, i, i); }),
         50},
        {"du/dt = ((u^1024)^1024)^1024", 100},
        {"du/dt = a40; a0 = u\n" + doubled, 100},
        {"du/dt = a90; a0 = u\n" +
             repeated(90, [](int i) { return fmt::format("a{} = lap(a{})*a{} + a{}\n", i + 1, i, i, i); }),
         3000},
        {"du/dt = u" + repeated(16, [](int) { return "[8,8]"; }), 1000},
        {"du/dt = u" + repeated(200, [](int) { return "[8,8]"; }), 0},
        {"du/dt = 0" + repeated(100, [](int i) { return fmt::format(" + u[8,{}][7,{}]", i % 8, i / 8 - 6); }),
         0},
        {repeated(16,
                  [](int i) { return fmt::format("dc{}/dt = 0.1*lap(c{}) - c{}\n", i, i, (i + 1) % 16); }) +
             "stepper = imex",
         500},
        {repeated(8,
                  [](int i) {
                      return fmt::format("dc{}/dt = lap(c{})", i, i) +
                             repeated(59,
                                      [i](int j) {
                                          return fmt::format(" + F*c{}^{}*{}", (i + j) % 8, 1 + j % 5, j);
                                      }) +
                             "\n";
                  }) +
             "F = 0.001; sensitivity = F",
         20000},
    }));
    INFO(c.text.substr(0, 100));
    const std::clock_t begin = std::clock();
    const Answer got = answer(c.text);
    // Takes a second or less; with sanitizers twenty times as long.
    CHECK(double(std::clock() - begin) / CLOCKS_PER_SEC < 40);
    INFO(got.refused << ", operations " << got.operations);
    CHECK(got.refused.empty() == (c.most_operations > 0));
    CHECK(got.operations <= c.most_operations);
}
