// OpenGL's objects with an owner. All of it needs the context current, in destructors too.
#pragma once

#include <string_view>
#include <utility>

namespace stencil {

void delete_texture(unsigned name);
void delete_program(unsigned name);
void delete_vertex_array(unsigned name);
void delete_query(unsigned name);

/// Owns one object by its name; 0 is none.
template <void (*Delete)(unsigned)>
class GlObject {
  public:
    GlObject() = default;
    explicit GlObject(unsigned name) : name_(name) {}
    GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlObject& operator=(GlObject&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlObject() {
        if (name_ != 0) Delete(name_);
    }
    unsigned name() const { return name_; }

  private:
    unsigned name_ = 0;
};

using GlTexture = GlObject<delete_texture>;
using GlProgram = GlObject<delete_program>;
using GlVertexArray = GlObject<delete_vertex_array>;
using GlQuery = GlObject<delete_query>;

/// Immutable storage of one level in an internal format such as GL_R32F; nearest texels, clamped.
GlTexture make_texture(int width, int height, unsigned format);

/// From the embedded shaders of these names (without folder and ending). Throws MachineError with the
/// compiler's first complaint.
GlProgram make_program(std::string_view vertex, std::string_view fragment);

/// Without attributes: for shaders that make their vertices from their numbers.
GlVertexArray make_vertex_array();

/// `target` as glBeginQuery takes it.
GlQuery make_query(unsigned target);

}  // namespace stencil
