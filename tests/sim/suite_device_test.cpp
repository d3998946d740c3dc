#include "sim/bench/suite.h"
#include "sim/machine/roofline.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"

TEST_CASE("Every method has its speed, and the error of the field that was timed") {
    const Machine machine = query_machine();
    for (const DType dtype : kDTypes)
        for (const BoundaryRow& boundary : kBoundaries) {
            SuiteSpec spec;
            spec.run.backend = name_of(kDevice);
            spec.run.dtype = dtype;
            spec.run.boundary = boundary.boundary;
            spec.run.threads = 2;
            spec.sizes = {{67, 45}, {130, 131}};
            spec.steps = 37;
            spec.repeats = 5;
            spec = resolve(spec, machine);
            Suite suite(spec, machine, SuiteLimits{40, 1e12});
            double share = -1;
            for (int pieces = 0; !suite.done(); ++pieces) {
                REQUIRE(pieces < 100000);
                suite.work();
                REQUIRE_FALSE(suite.doing().empty());
                REQUIRE(suite.share() >= share);
                share = suite.share();
            }
            REQUIRE(suite.rows().size() == 2 * spec.methods.size());
            for (const SuiteRow& row : suite.rows()) {
                INFO(row.method->name << " " << name_of(dtype) << " " << boundary.name << " " << row.why_not);
                if (!row.measured()) continue;
                REQUIRE(row.steps == 37);
                REQUIRE(row.total_steps > 5 * 37);
                REQUIRE(row.seconds > 0);
                // Every call of exact n-step propagation rounds in the same way, so errors add up.
                const double bound = row.method->jumps
                                         ? error_bound(dtype, 1) * double(row.total_steps / row.steps)
                                         : error_bound(dtype, row.total_steps);
                REQUIRE(row.error <= bound);
                REQUIRE((row.error > 0 || row.method->name == "reference"));
                REQUIRE((row.speed.gcells_per_s > 0) == !row.method->jumps);
            }
        }
}

TEST_CASE("The norm of a quantity is that of its cells") {
    for (const DType dtype : kDTypes)
        for (const FieldShape shape : {FieldShape{1, 1}, FieldShape{3, 70}, FieldShape{4501, 37}}) {
            const auto solver = make_solver({&choose_method({kDevice, shape}),
                                             shape.nx,
                                             shape.ny,
                                             dtype,
                                             {0.13, Boundary::insulated},
                                             2});
            solver->load(Field(random_field(shape.nx, shape.ny)));
            solver->advance(5);
            const Field base(random_field(shape.nx, shape.ny));
            solver->set_base(base);
            const Field field = solver->field().to(DType::float64);
            double squares = 0, differences = 0, of_base = 0;
            for (std::size_t i = 0; i < field.size(); ++i) {
                const double u = field.as<double>().cells()[i];
                const double b = base.as<double>().cells()[i];
                squares += u * u;
                differences += (u - b) * (u - b);
                of_base += b * b;
            }
            REQUIRE(solver->norm(Quantity::value) == Approx(std::sqrt(squares)).epsilon(1e-12));
            REQUIRE(solver->norm(Quantity::difference) == Approx(std::sqrt(differences)).epsilon(1e-12));
            REQUIRE(solver->norm(Quantity::base) == Approx(std::sqrt(of_base)).epsilon(1e-12));
            Array<double> broken = random_field(shape.nx, shape.ny);
            broken.at(shape.nx / 2, shape.ny / 2) = std::nan("");
            solver->load(Field(std::move(broken)));
            REQUIRE(std::isnan(solver->norm(Quantity::value)));
        }
}

TEST_CASE("Every method that can serve as the truth agrees with the reference in float64") {
    SuiteSpec spec;
    for (const BoundaryRow& boundary : kBoundaries)
        for (const Method& method : methods()) {
            if (method.device != kDevice || !method.make_float64) continue;
            spec.run.boundary = boundary.boundary;
            INFO(method.name << " " << boundary.name);
            REQUIRE(distance_from_reference(spec, method) <= 1e-12);
        }
}

#ifdef STENCILSCOPE_TESTS_CUDA
TEST_CASE("A GPU issues more instructions than a processor") {
    REQUIRE(measure_issue_rate(Device::cuda, DType::float32, 1) > 1e12);
    REQUIRE(measure_issue_rate(Device::cuda, DType::float64, 1) > 1e10);
}
#endif
