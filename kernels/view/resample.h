// The visible part of a field as pixels.
#pragma once

namespace stencil {

/// The part of the field that the pixels cover, in cells: cell (i, j) covers [i, i + 1) x [j, j + 1), row 0
/// on top. It may reach beyond the field by less than a pixel.
struct CellArea {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    friend bool operator==(const CellArea&, const CellArea&) = default;
};

/// Along each axis on its own: where a pixel covers more than one cell, the average over the cells that it
/// covers, each weighted by the covered share (beyond the field there is nothing, and it has no weight);
/// else the value of the cell that holds the pixel's centre, or, if smooth, linear interpolation between cell
/// centres, with the edge cells' values beyond their centres. A NaN in any cell of a pixel makes it NaN.
struct ResampleRequest {
    CellArea area;
    int width = 0;  ///< pixels
    int height = 0;
    bool smooth = false;

    /// Of a part of the field's rows: what its cells contribute to each pixel, so that the sum over all parts
    /// is the picture. Only rows of pixels to which the part contributes are made; pixel_rows_of() sets this.
    struct Part {
        int first_row = 0, field_rows = 0;    ///< of cells; field_rows is 0 where the field is whole
        int first_pixel = 0, pixel_rows = 0;  ///< of the picture, which has pixel_rows; `height` are made
        friend bool operator==(const Part&, const Part&) = default;
    } part = {};
    friend bool operator==(const ResampleRequest&, const ResampleRequest&) = default;
};

/// A point of the field in the coordinates of CellArea.
struct SamplePoint {
    double x = 0, y = 0;
    friend bool operator==(const SamplePoint&, const SamplePoint&) = default;
};

}  // namespace stencil
