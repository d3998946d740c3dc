// Test cases of einsum: subscripts with shapes.
#pragma once

#include "tests/support/scratch.h"

namespace stencil_test {

using Shapes = std::vector<std::vector<std::int64_t>>;

struct EinsumCase {
    std::string subscripts;
    Shapes shapes;
};

/// Cases "SUBSCRIPTS SHAPE SHAPE ... | ...", shapes as 2x3, () without axes.
inline std::vector<EinsumCase> einsum_cases(std::string_view list) {
    std::vector<EinsumCase> cases;
    for (const std::string& item : items(list)) {
        const std::vector<std::string> words = parts(item, " ");
        EinsumCase& one = cases.emplace_back(EinsumCase{words[0], Shapes(words.size() - 1)});
        for (std::size_t i = 1; i < words.size(); ++i)
            if (words[i] != "()")
                for (const std::string& length : parts(words[i], "x"))
                    one.shapes[i - 1].push_back(std::stoll(length));
    }
    return cases;
}

/// From NumPy's own tests, and all branches of plans: scalars, copies, transposes, diagonals, traces, sums;
/// two operands; lengths of 1 and 0; several operands.
inline const std::vector<EinsumCase> kEinsumCases = einsum_cases(
    ", () () | i 7 | i-> 9001 | ji 3x5 | ba 33x65 | ij->ji 130x70 | ijk->kji 17x5x33 | ii 5x5 | "
    "iij->j 4x4x3 | iii->i 5x5x5 | ijji-> 3x4x4x3 | ij->i 13x4000 | ij->j 600x37 | ijk->j 5x7x9 | "
    "ijk->ik 30x40x50 | ... 2x3x4 | i...->... 2x3x4 | ii...->...i 3x3x2 | i...->...i 2x3x4 | "
    "i,i 1000 1000 | i,i->i 11 11 | i,j 5 7 | ij,jk->ki 31x17 17x23 | ij,kj->ik 31x17 23x17 | "
    "ji,jk->ik 17x31 17x23 | ji,kj->ki 17x31 23x17 | ij,jk->...k 101x57 57x73 | ij,jk-> 11x13 13x17 | "
    "ij,i->j 401x57 401 | ijk,j->ik 5x30x7 30 | ijk,ik->j 5x30x7 5x7 | ijk,kj->i 5x6x7 7x6 | "
    "bij,bjk->bik 4x5x6 4x6x7 | bij,bjk->ikb 4x5x6 4x6x7 | ibj,bjk->ibk 5x4x6 4x6x7 | "
    "ijb,jkb->bik 5x6x4 6x7x4 | bij,bi->bj 4x5x6 4x5 | ib,ijb->jb 5x4 5x6x4 | bij,ib->bj 4x5x6 5x4 | "
    "bij,bij->b 4x5x6 4x5x6 | abij,abjk->abik 2x3x4x5 2x3x5x6 | abij,bajk->abik 2x3x4x5 3x2x5x6 | "
    "ijkl,lkmn->mnij 2x3x4x5 5x4x6x7 | ijkl,jm->imkl 2x3x4x5 3x6 | iij,jk->ik 4x4x5 5x6 | "
    "ii,jj 4x4 5x5 | ij,ji-> 20x30 30x20 | ij,ji->ij 40x30 30x40 | ...ij,...jk->...ik 2x3x4 4x5 | "
    "...ij,...jk 3x1x4x5 2x5x6 | i...,i...->... 4x3 4x2x3 | a...a,...b->ab... 3x2x3 2x4 | "
    "i,...->...i 4 2x3 | a,ab->ab 3 3x4 | ij,jk 3x1 4x5 | ij,ij->ij 1x3 2x1 | ij,jk->ik 1x6 6x1 | "
    "i,i 1 5 | ii,i->i 1x1 5 | ij->i 2x0 | i,i 0 0 | ij,jk->ik 3x0 0x4 | ij,jk->ik 0x3 3x4 | i->i 0 | "
    "ij,jk,kl->il 10x20 20x5 5x30 | ij,ij,ij-> 4x5 4x5 4x5 | ab,ac,ad->bcd 3x4 3x5 3x6 | "
    "ea,fb,abcd,gc,hd->efgh 3x3 3x3 3x3x3x3 3x3 3x3 | "
    "abhe,hidj,jgba,hiab,gab 2x3x4x5 4x2x6x3 3x4x3x2 4x2x2x3 4x2x3 | "
    "a,ac,ab,ad,cd,bd,bc-> 3 3x4 3x2 3x5 4x5 2x5 2x4 | "
    "ab,bc,cd,de,ef,fg,gh,hi,ij->aj 2x3 3x4 4x3 3x2 2x4 4x3 3x2 2x5 5x3 | "
    "...a,...ab,b...->... 2x3 2x3x4 4x2");

/// No subscripts, and spaces between them.
inline const std::vector<EinsumCase> kOddEinsumCases = {{"", {{}}}, {" i j -> j ", {{2, 3}}}};

/// Large enough for several threads, and long ones.
inline const std::vector<EinsumCase> kLargerEinsumCases = einsum_cases(
    "ij,jk->...k 203x157 157x301 | ij,jk->ik 203x157 157x301 | ij->i 3x200003 | "
    "ij,j->i 2x100003 100003 | ij,j->i 2001x1003 1003 | ij-> 1003x517 | ijk->ik 3x301x203 | "
    "ijk->kj 3x301x203 | ijk,j->ik 70x31x43 31 | ij->ji 1003x517 | bij,bjk->bki 300x5x6 300x6x7 | "
    "i,i-> 300001 300001 | ii->i 501x501 | iij,j->i 101x101x57 57 | ij,ii->j 1003x517 1003x1003 | "
    "ijk->kij 40x50x60 | bij,bi->bj 70x50x60 70x50 | bij,bi->bj 2x300x400 2x300 | "
    "bij,ib->bj 3x500x600 500x3 | bi,bi->b 3x50001 3x50001 | bi,bi->b 70x5001 70x5001 | "
    "ij,kj->ikj 40x50 60x50");

}  // namespace stencil_test
