#include "sim/figure/canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <numbers>
#include <utility>
#include <vector>

#include "sim/figure/shaped_text.h"
#include "sim/figure/text.h"
#include "sim/files/image.h"
#include "sim/text/base64.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil::figure {
namespace {

struct Destroy {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using CairoPtr = std::unique_ptr<cairo_t, Destroy>;
using SurfacePtr = std::unique_ptr<cairo_surface_t, Destroy>;

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS) throw MachineError(cairo_status_to_string(status));
}

cairo_status_t append(void* target, const unsigned char* bytes, unsigned int count) noexcept {
    try {
        static_cast<std::string*>(target)->append(reinterpret_cast<const char*>(bytes), count);
        return CAIRO_STATUS_SUCCESS;
    } catch (const std::bad_alloc&) {
        return CAIRO_STATUS_NO_MEMORY;
    }
}

CairoPtr make_cairo(cairo_surface_t* surface) {
    check(cairo_surface_status(surface));
    CairoPtr cairo(cairo_create(surface));
    // Without hinting, text has the same width at every resolution and in every format.
    const std::unique_ptr<cairo_font_options_t, Destroy> options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo.get(), options.get());
    cairo_select_font_face(cairo.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    check(cairo_status(cairo.get()));
    return cairo;
}

double advance(cairo_t* cairo, const std::string& text, double size) {
    if (needs_shaping(text))
        if (const auto width = shaped_text(cairo, text, size, false)) return *width;
    cairo_set_font_size(cairo, size);
    cairo_text_extents_t extents{};
    cairo_text_extents(cairo, text.c_str(), &extents);
    check(cairo_status(cairo));
    return extents.x_advance;
}

SurfacePtr make_image(const Raster& raster) {
    SurfacePtr image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, raster.width, raster.height));
    check(cairo_surface_status(image.get()));
    unsigned char* bytes = cairo_image_surface_get_data(image.get());
    const int stride = cairo_image_surface_get_stride(image.get());
    auto pixel = raster.pixels.begin();
    for (int y = 0; y < raster.height; ++y, pixel += raster.width)
        std::copy_n(
            pixel, raster.width, reinterpret_cast<std::uint32_t*>(bytes + std::ptrdiff_t(y) * stride));
    cairo_surface_mark_dirty(image.get());
    return image;
}

std::string png_of(cairo_surface_t* image) {
    cairo_surface_flush(image);
    const unsigned char* bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    const int width = cairo_image_surface_get_width(image), height = cairo_image_surface_get_height(image);
    std::vector<Rgb> colors;
    colors.reserve(std::size_t(width) * std::size_t(height));
    for (int y = 0; y < height; ++y, bytes += stride) {
        const auto* pixels = reinterpret_cast<const std::uint32_t*>(bytes);
        std::transform(pixels, pixels + width, std::back_inserter(colors), [](std::uint32_t pixel) {
            return Rgb{std::uint8_t(pixel >> 16), std::uint8_t(pixel >> 8), std::uint8_t(pixel)};
        });
    }
    return png_text(width, height, colors);
}

// A PNG or PDF file.
class CairoCanvas : public FigureCanvas {
  public:
    CairoCanvas(bool pdf, double width, double height, const std::string& title)
        : pdf_(pdf),
          surface_(pdf ? cairo_pdf_surface_create_for_stream(append, &file_, width, height)
                       : cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                    int(std::lround(width * kPixelsPerPoint)),
                                                    int(std::lround(height * kPixelsPerPoint)))),
          cairo_(make_cairo(surface_.get())) {
        if (!pdf) cairo_scale(cairo_.get(), kPixelsPerPoint, kPixelsPerPoint);
        cairo_set_source_rgb(cairo_.get(), 1, 1, 1);
        cairo_paint(cairo_.get());
        if (!pdf) return;
        cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
        // No date, so that equal runs give equal bytes.
        cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    }

    void path(std::span<const Point> points, const Stroke& style) override {
        trace(points);
        cairo_save(cairo_.get());
        cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
        cairo_set_dash(cairo_.get(), &style.dash, style.dash > 0 ? 1 : 0, 0);
        set_color(style.color);
        cairo_set_line_width(cairo_.get(), style.width);
        cairo_stroke(cairo_.get());
        cairo_restore(cairo_.get());
        check(cairo_status(cairo_.get()));
    }

    void fill(std::span<const Point> polygon, Rgb color) override {
        trace(polygon);
        set_color(color);
        cairo_fill(cairo_.get());
        check(cairo_status(cairo_.get()));
    }

    void picture(const Raster& raster, const Box& box) override {
        const SurfacePtr image = make_image(raster);
        cairo_save(cairo_.get());
        cairo_translate(cairo_.get(), box.left, box.top);
        cairo_scale(cairo_.get(), box.width / raster.width, box.height / raster.height);
        cairo_set_source_surface(cairo_.get(), image.get(), 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
        cairo_rectangle(cairo_.get(), 0, 0, raster.width, raster.height);
        cairo_fill(cairo_.get());
        cairo_restore(cairo_.get());
        check(cairo_status(cairo_.get()));
    }

    void put_text(std::string_view text, Point at, const TextStyle& style, bool upwards) override {
        const std::string terminated(text);
        const double width = advance(cairo_.get(), terminated, style.size);
        cairo_save(cairo_.get());
        cairo_translate(cairo_.get(), at.x, at.y);
        if (upwards) cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
        cairo_move_to(cairo_.get(), -width * int(style.anchor) / 2, 0);
        set_color(style.color);
        if (!needs_shaping(text) || !shaped_text(cairo_.get(), terminated, style.size, true))
            cairo_show_text(cairo_.get(), terminated.c_str());
        cairo_restore(cairo_.get());
        check(cairo_status(cairo_.get()));
    }

    std::string finish() override {
        cairo_.reset();
        if (!pdf_) file_ = png_of(surface_.get());
        cairo_surface_finish(surface_.get());
        check(cairo_surface_status(surface_.get()));
        return std::move(file_);
    }

  private:
    void trace(std::span<const Point> points) {
        cairo_new_path(cairo_.get());  // discards the current point that text leaves at its end
        for (const Point& point : points) cairo_line_to(cairo_.get(), point.x, point.y);
    }

    void set_color(Rgb color) {
        cairo_set_source_rgb(cairo_.get(), color.r / 255.0, color.g / 255.0, color.b / 255.0);
    }

    bool pdf_;
    std::string file_;  // declared before the surface, whose destructor may write to it
    SurfacePtr surface_;
    CairoPtr cairo_;
};

std::string css(Rgb color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

/// Writes SVG itself, because Cairo turns text into outlines and uses names that differ between runs.
class SvgCanvas : public FigureCanvas {
  public:
    SvgCanvas(double width, double height, const std::string& title) {
        put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "version=\"1.1\" "
            "width=\"{0:.2f}pt\" height=\"{1:.2f}pt\" viewBox=\"0 0 {0:.2f} {1:.2f}\" "
            "font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n<title>{2}</title>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            width,
            height,
            xml_escaped(title));
    }

    void path(std::span<const Point> points, const Stroke& stroke) override {
        put("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
            "stroke-linejoin=\"round\"{}/>\n",
            list(points),
            css(stroke.color),
            stroke.width,
            stroke.dash > 0 ? fmt::format(" stroke-dasharray=\"{:.2f}\"", stroke.dash) : "");
    }

    void fill(std::span<const Point> polygon, Rgb color) override {
        put("<polygon points=\"{}\" fill=\"{}\"/>\n", list(polygon), css(color));
    }

    void picture(const Raster& raster, const Box& box) override {
        put("<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "preserveAspectRatio=\"none\" style=\"image-rendering:crisp-edges;image-rendering:pixelated\" "
            "xlink:href=\"data:image/png;base64,{}\"/>\n",
            box.left,
            box.top,
            box.width,
            box.height,
            base64(png_of(make_image(raster).get())));
    }

    void put_text(std::string_view text, Point at, const TextStyle& style, bool upwards) override {
        static constexpr std::string_view anchors[] = {"start", "middle", "end"};
        put("<text x=\"{0:.2f}\" y=\"{1:.2f}\" font-size=\"{2:.2f}\" text-anchor=\"{3}\" "
            "fill=\"{4}\"{5}>{6}</text>\n",
            at.x,
            at.y,
            style.size,
            anchors[std::size_t(style.anchor)],
            css(style.color),
            upwards ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", at.x, at.y) : "",
            xml_escaped(text));
    }

    std::string finish() override {
        put("</svg>\n");
        return std::move(file_);
    }

  private:
    static std::string list(std::span<const Point> points) {
        std::string text;
        for (const Point& point : points)
            text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", point.x, point.y);
        return text;
    }

    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(file_), format, std::forward<Args>(args)...);
    }

    std::string file_;
};

}  // namespace

std::unique_ptr<FigureCanvas> make_canvas(FigureFormat format,
                                          double width,
                                          double height,
                                          const std::string& title) {
    if (format == FigureFormat::svg) return std::make_unique<SvgCanvas>(width, height, title);
    return std::make_unique<CairoCanvas>(format == FigureFormat::pdf, width, height, title);
}

void FigureCanvas::text(std::string_view text, Point at, const TextStyle& style) {
    put_text(clean_text(text), at, style, false);
}

void FigureCanvas::text_upwards(std::string_view text, Point at, const TextStyle& style) {
    put_text(clean_text(text), at, style, true);
}

double FigureCanvas::text_width(std::string_view text, double size) const {
    return figure::text_width(clean_text(text), size);
}

double text_width(std::string_view text, double size) {
    const SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
    return advance(make_cairo(surface.get()).get(), std::string(text), size);
}

}  // namespace stencil::figure
