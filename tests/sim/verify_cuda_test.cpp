#include "sim/verify/verify.h"
#include "tests/support/catch.h"

TEST_CASE("verify allows for the roundings of transforms where the text chooses imex") {
    const OwnCache scratch;
    const auto model =
        write_bytes(scratch / "imex.txt",
                    "du/dt = lap(u) - 0.3*u + 0.1*sin(u)\nstepper = imex\ndt = 0.01\nu(0) = random\n");
    const Machine machine = query_machine();
    Verification verification({{model.string()}, true}, machine);
    while (!verification.done()) verification.work();
    for (const VerifyRow& row : verification.rows()) CHECK(row.problem.empty());
}
