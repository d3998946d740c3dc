// A program as GLSL ES 3.00 for WebGL 2: a fragment shader per stage, which reads and writes textures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The location of an array: a channel of a texture of four floats per cell.
struct GlslPlace {
    int texture = -1, channel = 0;
};

struct GlslTexture {
    std::array<int, 4> arrays{-1, -1, -1, -1};  ///< by channel; -1: unused
    /// A step reads what the previous step wrote there, so the texture is doubled; the two swap after each
    /// step.
    bool carried = false;
};

/// A texture that a pass reads; `before`: as the previous step left it.
struct GlslSource {
    int texture = -1;
    bool before = false;
    friend bool operator==(const GlslSource&, const GlslSource&) = default;
};

/// The pass of a stage. Its shader reads `from` as sampler2D t0, t1 ... and writes `to` as vec4 o0, o1 ...
struct GlslPass {
    std::vector<GlslSource> from;
    std::vector<int> to;
    std::string text;
};

/// Each texture is written by at most one stage, so that no pass reads what it writes. Textures that no stage
/// writes hold data or zeros.
struct GlslProgram {
    std::vector<GlslTexture> textures;
    std::vector<GlslPlace> state;   ///< the components between two steps
    std::vector<GlslPlace> places;  ///< all arrays after a step; texture -1: nowhere
    std::vector<GlslPass> once, stages;
};

/// The shaders read, beside their textures,
///
///     uniform sampler2D lines;  // cuda_lines(): entry i + 1 of row n is cell i of line n
///     uniform vec4 u[];         // the uniforms, four in each
///     uniform ivec2 n;          // columns and rows
///     uniform uvec4 moment;     // step and seed of random numbers, each the low word first
///
/// Row 0 of an array is row 0 of its texture. GLSL has no multiply-add that is rounded once, and devices may
/// divide less exactly, so results differ from the program's by rounding. With `run` the program reads the
/// components from the textures of that one, which come first among its own.
GlslProgram glsl_program(const Program& program, const GlslProgram* run = nullptr);

/// Why a program cannot be run as GLSL, as the end of a sentence; empty if it can.
std::string why_no_glsl(const Program& program);

}  // namespace stencil::equation
