// Fuzzes spec.json.

#include "sim/problem/run_spec.h"
#include "sim/text/json.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    RunSpec spec;
    if (!accepted([&] { spec = spec_from_json(std::string(input), "spec.json"); })) return;
    const std::string text = to_json(spec).dump();
    const std::string again = to_json(spec_from_json(text, "again.json")).dump();
    require(again == text, "a spec stays what it is", text, again);
    accepted([&] { spec.validate(); });
}

std::vector<std::string> seeds() {
    return {
        to_json(RunSpec()).dump(2),
        R"({"size": "64x48", "steps": 100, "initial": "gaussian:sigma=0.2", "coefficient": 0.1,
                "boundary": "periodic", "dtype": "float64", "at": ["10:coefficient=0.2", "20:paint=1,5,add,3,4"],
                "probe": ["1,2", "3,4"], "profile": "0,0,10,10", "every": 10, "export": "all,frames.npy",
                "range": "0:1", "laplacian-range": "percentile:1:99", "range-per-frame": true, "seed": 7})",
        R"({"initial": "/tmp/a.npy", "method": "cpu", "backend": "cpu", "threads": 2, "colormap": "turbo"})",
        R"({"model": "gray-scott", "show": "u", "range": "2:3", "colors": ["u=vik_r,log:1:2", "u*v >= 1=,0:1,K", "v=ice"]})"};
}

const Target target("spec", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
