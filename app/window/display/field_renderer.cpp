#include "app/window/display/field_renderer.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "app/window/display/gl_objects.h"
#include "app/window/display/interop.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

/// Uniform locations in shaders/field.frag.
enum Location { kTopLeft, kFirst, kInto, kDensity, kSize, kRange, kByBorders, kLevelCount, kLevels };
/// Uniform locations in shaders/surface.vert.
namespace surface {
enum Location { kSize, kRange, kScale, kTurn, kExtent, kUnit, kAscending, kHeight };
}
/// Uniform locations in shaders/line.vert and plain.frag.
namespace line {
enum Location { kEnds, kShade = 18 };
}

/// Pixels of the screen: columns [x0, x1), rows [y0, y1), y down.
struct PixelBox {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool empty() const { return x0 >= x1 || y0 >= y1; }
};

/// Returns the first pixel whose centre is at or beyond an edge, within [0, most].
int first_pixel(double edge, int most) {
    return int(std::clamp(std::ceil(edge - 0.5), 0.0, double(most)));
}

PixelBox pixels_of(const ScreenRect& rect, int frame_width, int frame_height) {
    return {first_pixel(rect.x, frame_width),
            first_pixel(rect.y, frame_height),
            first_pixel(rect.x + rect.width, frame_width),
            first_pixel(rect.y + rect.height, frame_height)};
}

/// A pane's texture, larger than its pixels so that a view that grows a little needs no new one.
struct Slot {
    GlObject values;
    int width = 0, height = 0;  ///< of the texture
    /// The uploaded pixels. Sharing ownership keeps the engine from reusing the object for other values.
    std::shared_ptr<const Pixels> pixels;
    bool by_interop = false;
    double host_ms = 0;
};

int grown(int have, int need) {
    constexpr int kStep = 256;
    return std::max(have, (need + kStep - 1) / kStep * kStep);
}

GlObject make_color_table(std::string_view name) {
    GlObject table = make_texture(256, 1, GL_RGB8);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(
        table.name(), 0, 0, 0, 256, 1, GL_RGB, GL_UNSIGNED_BYTE, colormap(name).colors.data());
    return table;
}

// Returns the smallest float that is not below `border`.
float at_least(double border) {
    const float nearest = float(border);
    return nearest < border ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

void upload_borders(const GlObject& texture, const ValueRange& range) {
    const EntryBorders borders = entry_borders(range);
    std::array<float, std::tuple_size_v<EntryBorders>> least;
    std::ranges::transform(borders, least.begin(), at_least);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage2D(texture.name(), 0, 0, 0, int(least.size()), 1, GL_RED, GL_FLOAT, least.data());
}

void set_levels(unsigned program, const std::vector<double>& contours) {
    const auto count = std::min(contours.size(), std::size_t(kMaxContours));
    std::array<float, kMaxContours> levels{};
    std::ranges::transform(std::span(contours).first(count), levels.begin(), at_least);
    glProgramUniform1i(program, kLevelCount, int(count));
    if (count > 0) glProgramUniform1fv(program, kLevels, int(count), levels.data());
}

std::string_view renderer_name() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return name ? name : "unknown";
}

void upload_floats(const Slot& slot, const Pixels& pixels, const float* values) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage2D(slot.values.name(), 0, 0, 0, pixels.width, pixels.height, GL_RED, GL_FLOAT, values);
}

}  // namespace

struct FieldRenderer::State {
    GlObject program = make_program("cover", "field");
    // These are made when the first surface is drawn.
    GlObject surface_program, line_program;
    Multisampled samples;
    GlObject vertices = make_vertex_array();
    std::map<std::string, GlObject, std::less<>> color_tables;
    GlObject borders = make_texture(int(std::tuple_size_v<EntryBorders>), 1, GL_R32F);
    std::vector<Slot> slots;
    int slots_drawn = 0, slots_now = 0;  ///< in the previous frame, and in this one so far
    Interop interop;
    std::vector<float> staging;  ///< for copies if interop fails
    Transfer transfer;

    explicit State(bool allow_interop) : interop(allow_interop, renderer_name()) {
        transfer = {interop.ready(), interop.text()};
    }

    ~State() {
        for (const Slot& slot : slots) interop.forget(slot.values.name());
    }

    Slot& slot(int number) {
        if (number == 0) slots_drawn = std::exchange(slots_now, 0);
        slots_now = std::max(slots_now, number + 1);
        if (std::size_t(number) >= slots.size()) slots.resize(std::size_t(number) + 1);
        return slots[std::size_t(number)];
    }

    const GlObject& color_table(const std::string& name) {
        const auto found = color_tables.find(name);
        if (found != color_tables.end()) return found->second;
        return color_tables[name] = make_color_table(name);
    }

    void reserve(Slot& slot, int width, int height) {
        if (width <= slot.width && height <= slot.height) return;
        slot.width = grown(slot.width, width);
        slot.height = grown(slot.height, height);
        if (slot.values.name() != 0) interop.forget(slot.values.name());
        slot.values = make_texture(slot.width, slot.height, GL_R32F);
        slot.pixels = nullptr;
    }

    bool copy_through_host(const Slot& slot, const Pixels& pixels) {
        staging.resize(std::size_t(pixels.width) * std::size_t(pixels.height));
        if (!interop.read(pixels, staging.data())) return false;
        upload_floats(slot, pixels, staging.data());
        return true;
    }

    // If the copy fails the texture keeps its contents, and the interop's text says why.
    void upload(Slot& slot, const std::shared_ptr<const Pixels>& pixels) {
        reserve(slot, pixels->width, pixels->height);
        if (slot.pixels == pixels) return;
        const auto start = std::chrono::steady_clock::now();
        slot.by_interop = pixels->on_device && interop.upload(slot.values.name(), pixels);
        if (!pixels->on_device) upload_floats(slot, *pixels, pixels->host.data());
        const bool there = !pixels->on_device || slot.by_interop || copy_through_host(slot, *pixels);
        transfer = {interop.ready(), interop.text()};
        if (!pixels->on_device && interop.ready()) transfer.text = "CPU backend: copied to the texture";
        if (!there) return;
        slot.pixels = pixels;
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        slot.host_ms = took.count();
    }

    void begin(const GlObject& used, std::initializer_list<unsigned> textures) const {
        unsigned unit = 0;
        for (const unsigned texture : textures) {
            glBindTextureUnit(unit, texture);
            glBindSampler(unit++, 0);
        }
        for (const GLenum state : {GL_BLEND, GL_DEPTH_TEST, GL_CULL_FACE, GL_SCISSOR_TEST}) glDisable(state);
        glUseProgram(used.name());
        glBindVertexArray(vertices.name());
    }
    static void end() {
        glBindVertexArray(0);
        glUseProgram(0);
        glDisable(GL_SCISSOR_TEST);
    }

    // Draws the edges of the surface's box, which all lie behind the surface.
    void paint_box(const PaneDrawing& drawing, const SurfaceProjection& seen) {
        if (line_program.name() == 0) line_program = make_program("line", "plain");
        std::vector<float> ends;
        for (const SurfaceEdge& edge : surface_box(seen).edges)
            for (const SurfacePoint& end : {edge.from, edge.to}) {
                ends.push_back(float(2 * end.x / drawing.where.width));
                ends.push_back(float(-2 * end.y / drawing.where.height));
            }
        const auto count = GLsizei(ends.size() / 2);
        const auto part = [](std::uint8_t value) { return float(value) / 255; };
        glProgramUniform2fv(line_program.name(), line::kEnds, count, ends.data());
        const auto [r, g, b] = *drawing.box;
        glProgramUniform4f(line_program.name(), line::kShade, part(r), part(g), part(b), 1);
        glUseProgram(line_program.name());
        glDrawArrays(GL_LINES, 0, count);
    }

    // Points are drawn back to front, so no depth buffer is needed. Multisampling makes edges smooth.
    void paint_surface(const Slot& slot, const PaneDrawing& drawing, const PixelBox& box, int frame_height) {
        if (surface_program.name() == 0) surface_program = make_program("surface", "lit");
        const int across = box.x1 - box.x0, down = box.y1 - box.y0;
        if (across > samples.width || down > samples.height)
            samples = make_multisampled(grown(samples.width, across), grown(samples.height, down));
        const unsigned name = surface_program.name();
        const CellArea& area = drawing.image->request.resample.area;
        const ValueRange& range = drawing.image->range;
        const int columns = slot.pixels->width, rows = slot.pixels->height;
        const ScreenRect& where = drawing.where;
        const SurfaceProjection seen(
            *drawing.surface, area.x1 - area.x0, area.y1 - area.y0, where.width, where.height);
        glProgramUniform2i(name, surface::kSize, columns, rows);
        glProgramUniform2d(name, surface::kRange, range.low, range.high);
        glProgramUniform1i(name, surface::kScale, int(range.scale));
        glProgramUniform4f(name,
                           surface::kTurn,
                           float(seen.cos_azimuth),
                           float(seen.sin_azimuth),
                           float(seen.cos_elevation),
                           float(seen.sin_elevation));
        glProgramUniform2f(name, surface::kExtent, float(seen.width), float(seen.depth));
        const double unit = 2 * seen.pixels;
        glProgramUniform2f(name, surface::kUnit, float(unit / where.width), float(unit / where.height));
        glProgramUniform2i(name, surface::kAscending, seen.columns_ascend(), seen.rows_ascend());
        glProgramUniform1f(name, surface::kHeight, float(seen.height));
        begin(surface_program, {slot.values.name(), color_table(drawing.image->colormap).name()});
        GLint screen = 0;
        std::array<GLfloat, 4> background{};
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &screen);
        glGetFloatv(GL_COLOR_CLEAR_VALUE, background.data());
        glClearNamedFramebufferfv(samples.frame.name(), GL_COLOR, 0, background.data());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, samples.frame.name());
        const int high = int(where.height);
        glViewport(int(where.x) - box.x0, box.y1 - int(where.y) - high, int(where.width), high);
        if (drawing.box) paint_box(drawing, seen);
        glUseProgram(name);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * columns, rows - 1);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, unsigned(screen));
        glBlitNamedFramebuffer(samples.frame.name(),
                               unsigned(screen),
                               0,
                               0,
                               across,
                               down,
                               box.x0,
                               frame_height - box.y1,
                               box.x1,
                               frame_height - box.y0,
                               GL_COLOR_BUFFER_BIT,
                               GL_NEAREST);
        end();
    }

    void paint(const Slot& slot, const PaneDrawing& drawing, const PixelBox& box, int frame_height) {
        const unsigned name = program.name();
        const double across = slot.pixels->width / drawing.where.width;
        const double down = slot.pixels->height / drawing.where.height;
        glProgramUniform2f(name, kTopLeft, float(box.x0), float(frame_height - box.y0));
        const double column = (box.x0 - drawing.where.x) * across;
        const double row = (box.y0 - drawing.where.y) * down;
        glProgramUniform2i(name, kFirst, int(std::floor(column)), int(std::floor(row)));
        glProgramUniform2f(name, kInto, float(column - std::floor(column)), float(row - std::floor(row)));
        glProgramUniform2f(name, kDensity, float(across), float(down));
        glProgramUniform2i(name, kSize, slot.pixels->width, slot.pixels->height);
        glProgramUniform2d(name, kRange, drawing.image->range.low, drawing.image->range.high);
        const bool by_borders = has_borders(drawing.image->range);
        glProgramUniform1i(name, kByBorders, by_borders);
        if (by_borders) upload_borders(borders, drawing.image->range);
        set_levels(name, drawing.image->contours);
        begin(program, {slot.values.name(), color_table(drawing.image->colormap).name(), borders.name()});
        glViewport(box.x0, frame_height - box.y1, box.x1 - box.x0, box.y1 - box.y0);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        end();
    }
};

FieldRenderer::FieldRenderer(bool allow_interop) : state_(std::make_unique<State>(allow_interop)) {}
FieldRenderer::~FieldRenderer() = default;

void FieldRenderer::prepare(int slot, const PaneDrawing& drawing) {
    const std::shared_ptr<const Pixels>& pixels = drawing.image->pixels;
    if (pixels && pixels->width > 0 && pixels->height > 0) state_->upload(state_->slot(slot), pixels);
}

void FieldRenderer::draw(int slot_number, const PaneDrawing& drawing, int frame_width, int frame_height) {
    Slot& slot = state_->slot(slot_number);
    const std::shared_ptr<const Pixels>& pixels = drawing.image->pixels;
    if (!pixels || pixels->width < 1 || pixels->height < 1) return;
    state_->upload(slot, pixels);
    const PixelBox box = pixels_of(intersection(drawing.where, drawing.clip), frame_width, frame_height);
    if (slot.pixels && !box.empty()) {
        if (drawing.surface)
            state_->paint_surface(slot, drawing, box, frame_height);
        else
            state_->paint(slot, drawing, box, frame_height);
    }
    glViewport(0, 0, frame_width, frame_height);
}

const Transfer& FieldRenderer::transfer() const {
    return state_->transfer;
}

double FieldRenderer::transfer_ms() const {
    double sum = 0;
    const auto drawn = std::size_t(std::max(state_->slots_drawn, state_->slots_now));
    for (std::size_t i = 0; i < drawn; ++i) {
        const Slot& slot = state_->slots[i];
        sum += slot.by_interop ? state_->interop.milliseconds(slot.values.name()).value_or(0) : slot.host_ms;
    }
    return sum;
}

}  // namespace stencil
