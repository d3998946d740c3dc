// Painting on the CPU.

#include "kernels/view/paint_cell.h"

#include "kernels/view/cpu_view.h"

namespace stencil {

template <class T>
void paint(const PlainView<T>& field, const BrushPiece& piece, ThreadPool& threads, int first_row) {
    const CellBox box = reach_of(piece, field.nx(), field.ny(), first_row);
    threads.for_ranges(box.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = box.y + int(begin); y < box.y + int(end); ++y)
            for (int x = box.x; x < box.x + box.nx; ++x) paint_cell(piece, x, y, field, first_row);
    });
}

template void paint(const PlainView<float>&, const BrushPiece&, ThreadPool&, int);
template void paint(const PlainView<double>&, const BrushPiece&, ThreadPool&, int);

}  // namespace stencil
