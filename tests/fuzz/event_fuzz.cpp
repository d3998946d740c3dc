// Fuzzes scheduled events: the value of --at.
#include "sim/problem/event.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    Event event;
    if (!accepted([&] { event = parse_event(input); })) return;
    const std::string text = to_string(event);
    require(parse_event(text) == event, "an event stays what it is", std::string(input), text);
}

std::vector<std::string> seeds() {
    return {"500:coefficient=0.1",
            "0:boundary=periodic",
            "12:paint=1,20,replace,64.5,80",
            "12:paint=1,0,add-rectangle,64.5,80,-1,2",
            "12:paint=1,0.25,replace-fill,64.5,80",
            "1000000000000:paint=-1e-30,0.5,add-soft,-1,2,3e5,4",
            "7:size=100x50",
            "8:dtype=float64",
            "9:method=cpu",
            "3:threads=2"};
}

const Target target("event", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
