#include "app/window/display/gl_objects.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/files/image.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Returns the first line of a compiler's or linker's log.
template <class Log>
std::string complaint(Log log, unsigned name) {
    std::string text(1000, '\0');
    log(name, GLsizei(text.size()), nullptr, text.data());
    text.resize(std::min({text.find('\n'), text.find('\0'), text.size()}));
    return text;
}

GlObject compile(std::string_view name, GLenum stage) {
    const auto files = embedded_shaders();
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    if (file == files.end()) throw std::logic_error(fmt::format("no shader {}", name));
    GlObject shader(glCreateShader(stage), [](unsigned old) { glDeleteShader(old); });
    const GLchar* text = file->text.data();
    const GLint length = GLint(file->text.size());
    glShaderSource(shader.name(), 1, &text, &length);
    glCompileShader(shader.name());
    GLint compiled = 0;
    glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
    if (!compiled)
        throw MachineError(fmt::format(
            "OpenGL does not take the shader '{}': {}", name, complaint(glGetShaderInfoLog, shader.name())));
    return shader;
}

}  // namespace

GlObject make_texture(int width, int height, unsigned format) {
    unsigned name = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &name);
    GlObject texture(name, [](unsigned old) { glDeleteTextures(1, &old); });
    glTextureStorage2D(name, 1, format, width, height);
    glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTextureParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

Multisampled make_multisampled(int width, int height) {
    constexpr int kSamples = 4;
    unsigned colors = 0, frame = 0;
    glCreateRenderbuffers(1, &colors);
    glCreateFramebuffers(1, &frame);
    Multisampled made{GlObject(colors, [](unsigned old) { glDeleteRenderbuffers(1, &old); }),
                      GlObject(frame, [](unsigned old) { glDeleteFramebuffers(1, &old); }),
                      width,
                      height};
    glNamedRenderbufferStorageMultisample(colors, kSamples, GL_RGBA8, width, height);
    glNamedFramebufferRenderbuffer(frame, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colors);
    return made;
}

GlObject make_program(std::string_view vertex, std::string_view fragment) {
    const GlObject shaders[] = {compile(vertex, GL_VERTEX_SHADER), compile(fragment, GL_FRAGMENT_SHADER)};
    GlObject program(glCreateProgram(), [](unsigned old) { glDeleteProgram(old); });
    for (const GlObject& shader : shaders) glAttachShader(program.name(), shader.name());
    glLinkProgram(program.name());
    for (const GlObject& shader : shaders) glDetachShader(program.name(), shader.name());
    GLint linked = 0;
    glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
    if (!linked)
        throw MachineError(fmt::format("OpenGL does not link the shaders '{}' and '{}': {}",
                                       vertex,
                                       fragment,
                                       complaint(glGetProgramInfoLog, program.name())));
    return program;
}

GlObject make_vertex_array() {
    unsigned name = 0;
    glCreateVertexArrays(1, &name);
    return {name, [](unsigned old) { glDeleteVertexArrays(1, &old); }};
}

GlObject make_query(unsigned target) {
    unsigned name = 0;
    glCreateQueries(target, 1, &name);
    return {name, [](unsigned old) { glDeleteQueries(1, &old); }};
}

ScreenRect whole_pixels(const ScreenRect& at) {
    return {std::floor(at.x), std::floor(at.y), std::floor(at.width), std::floor(at.height)};
}

ScreenRect film_pixels(const ScreenRect& at) {
    const ScreenRect whole = whole_pixels(at);
    return {
        whole.x, whole.y, whole.width - std::fmod(whole.width, 2), whole.height - std::fmod(whole.height, 2)};
}

std::vector<Rgb> read_pixels(const ScreenRect& at, int frame_height) {
    const int width = int(at.width), height = int(at.height);
    const std::size_t row = std::size_t(width);
    std::vector<Rgb> pixels(row * std::size_t(height));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    // OpenGL's row 0 is at the bottom.
    const int lowest = frame_height - int(at.y) - height;
    glReadPixels(int(at.x), lowest, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t top = 0, bottom = std::size_t(height) - 1; top < bottom; ++top, --bottom)
        std::swap_ranges(pixels.begin() + std::ptrdiff_t(top * row),
                         pixels.begin() + std::ptrdiff_t((top + 1) * row),
                         pixels.begin() + std::ptrdiff_t(bottom * row));
    return pixels;
}

void save_screenshot(const std::filesystem::path& path, int width, int height) {
    write_text_file(path,
                    png_text(width, height, read_pixels({0, 0, double(width), double(height)}, height)),
                    Links::followed);
}

}  // namespace stencil
