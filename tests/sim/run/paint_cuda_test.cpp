#include "sim/problem/settings/settings.h"
#include "tests/support/runs.h"

TEST_CASE("Strokes and Laplacians have the CPU's bits on the GPU") {
    Dice dice;
    for (const DType dtype : {DType::float32, DType::float64}) {
        RunSpec spec = small_run("du/dt = lap(u) + u - u^3; dt = 0.1; u(0) = random - 0.5", {}, dtype);
        Simulation cpu = begun(spec);
        spec.backend = "cuda";
        spec.method = "auto";
        Simulation gpu = begun(spec);
        for (int i = 0; i < 30; ++i) {
            const auto place = [&] { return dice.uniform(-3, 27); };
            const Brush brush{
                dice.uniform(-3, 3), dice.uniform(0.3, 9), dice.flip(), true, BrushShape(i % 3)};
            const BrushPiece piece{brush, place(), place(), place(), place(), i % 3 < 2 && dice.flip()};
            INFO(name_of(dtype) << " " << to_string(piece));
            for (Simulation* each : {&cpu, &gpu}) each->apply(Paint{piece, ""});
            REQUIRE(same_bits(cpu.field(), gpu.field()));
        }
        for (const Quantity quantity : {Quantity::value, Quantity::laplacian})
            CHECK(same_bits(cpu.solver().field({"u", quantity}), gpu.solver().field({"u", quantity})));
    }
}
