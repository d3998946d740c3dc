// The ladder: kernels to learn from (assets/kernels/ladder), each of which adds one idea to the one before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencil::user_kernel {

struct Rung {
    std::string_view name;  ///< of its file, "3_shared_tile"
    std::string_view text;
    std::string title;   ///< "a tile in shared memory"
    std::string idea;    ///< what is new, a paragraph
    std::string expect;  ///< what to expect and why; a table in it is left out
    std::string limit;   ///< what limits its speed
};

/// All rungs, the first one first.
const std::vector<Rung>& ladder();

/// Finds a rung by its file's name, also by one of earlier versions (tutorial, naive, tiled), with .cu or
/// without. Null if there is none.
const Rung* find_rung(std::string_view file);

/// A line of code of a rung, and whether the rung before lacks it.
struct CodeLine {
    std::string_view text;
    bool is_new = false;
};
/// Returns the lines below the head of `rung`, compared with those of `before` (the longest common
/// subsequence); without one, none is new.
std::vector<CodeLine> code_lines(const Rung& rung, const Rung* before);

}  // namespace stencil::user_kernel
