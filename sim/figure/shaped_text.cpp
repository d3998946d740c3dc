#include "sim/figure/shaped_text.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/late_library.h"
#include "sim/text/quote.h"

// Declarations from Pango's headers, 1.44 and later, so that building does not need them.
extern "C" {
struct PangoLayout;
struct PangoContext;
struct PangoFontDescription;
PangoLayout* pango_cairo_create_layout(cairo_t*);
void pango_cairo_context_set_font_options(PangoContext*, const cairo_font_options_t*);
void pango_cairo_show_layout(cairo_t*, PangoLayout*);
PangoContext* pango_layout_get_context(PangoLayout*);
void pango_layout_context_changed(PangoLayout*);
void pango_layout_set_text(PangoLayout*, const char* text, int bytes);
void pango_layout_set_font_description(PangoLayout*, const PangoFontDescription*);
void pango_layout_get_size(PangoLayout*, int* width, int* height);
int pango_layout_get_baseline(PangoLayout*);
void pango_context_set_round_glyph_positions(PangoContext*, int);
PangoFontDescription* pango_font_description_new();
void pango_font_description_set_family(PangoFontDescription*, const char*);
void pango_font_description_set_absolute_size(PangoFontDescription*, double);
void pango_font_description_free(PangoFontDescription*);
void g_object_unref(void*);
}

namespace stencil::figure {
namespace {

constexpr double kScale = 1024;  // PANGO_SCALE: units per point

// Loaded on first use, because few texts need it.
const LazyLibrary& library() {
    static const LazyLibrary opened("libpangocairo-1.0.so.0", "Pango");
    return opened;
}
#define PANGO(name) LATE_FUNCTION(library(), name)

unsigned code_point(std::string_view character) {
    const auto byte = static_cast<unsigned char>(character[0]);
    unsigned code = character.size() == 1 ? byte : byte & (0xffu >> (character.size() + 1));
    for (const char next : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(next) & 0x3fu);
    return code;
}

}  // namespace

bool needs_shaping(std::string_view text) {
    constexpr unsigned kHebrew = 0x590, kLatinAdditions = 0x1e00, kRadicals = 0x2c60, kSpecials = 0xfff0,
                       kPlanes = 0x10000;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
        const unsigned code = code_point(text.substr(0, length));
        const bool common = code < kHebrew || (code >= kLatinAdditions && code < kRadicals) ||
                            (code >= kSpecials && code < kPlanes);
        if (!common) return true;
        text.remove_prefix(length);
    }
    return false;
}

std::optional<double> shaped_text(cairo_t* cairo, const std::string& text, double size, bool draws) {
    if (!library().why_none().empty()) return std::nullopt;
    try {
        const std::unique_ptr<PangoLayout, void (*)(void*)> layout(PANGO(pango_cairo_create_layout)(cairo),
                                                                   PANGO(g_object_unref));
        PangoContext* const context = PANGO(pango_layout_get_context)(layout.get());
        const std::unique_ptr<cairo_font_options_t, void (*)(cairo_font_options_t*)> options(
            cairo_font_options_create(), cairo_font_options_destroy);
        cairo_get_font_options(cairo, options.get());
        PANGO(pango_cairo_context_set_font_options)(context, options.get());
        PANGO(pango_context_set_round_glyph_positions)(context, 0);
        PANGO(pango_layout_context_changed)(layout.get());
        const std::unique_ptr<PangoFontDescription, void (*)(PangoFontDescription*)> font(
            PANGO(pango_font_description_new)(), PANGO(pango_font_description_free));
        PANGO(pango_font_description_set_family)(font.get(), "DejaVu Sans");
        PANGO(pango_font_description_set_absolute_size)(font.get(), size * kScale);
        PANGO(pango_layout_set_font_description)(layout.get(), font.get());
        PANGO(pango_layout_set_text)(layout.get(), text.data(), int(text.size()));
        int width = 0, height = 0;
        PANGO(pango_layout_get_size)(layout.get(), &width, &height);
        if (draws) {
            cairo_rel_move_to(cairo, 0, -PANGO(pango_layout_get_baseline)(layout.get()) / kScale);
            PANGO(pango_cairo_show_layout)(cairo, layout.get());
        }
        return width / kScale;
    } catch (const MissingLibrary&) {
        return std::nullopt;  // too old
    }
}

}  // namespace stencil::figure
