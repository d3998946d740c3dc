// Fuzzes scheduled events: the value of --at.
#include "sim/problem/edit.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    Edit edit;
    if (!accepted([&] { edit = parse_edit(input); })) return;
    const std::string text = to_string(edit);
    require(parse_edit(text) == edit, "a change stays what it is", std::string(input), text);
    if (edit.setting != kPaint) return;
    const std::string piece = to_string(parse_piece(edit.value));
    require(
        to_string(parse_piece(piece)) == piece, "a piece of a stroke stays what it is", edit.value, piece);
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

const Target target("edit", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
