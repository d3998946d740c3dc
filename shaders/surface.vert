#version 450 core
// Draws a field as a surface with the painter's algorithm: one instance per row of cells, back to front, each
// a triangle strip from back to front, so no depth buffer is needed; like sim/figure/raster.cpp.

layout(binding = 0) uniform sampler2D values;

layout(location = 0) uniform ivec2 size;       // texels in use, at least 2 x 2
layout(location = 1) uniform dvec2 range;      // low, high
layout(location = 2) uniform int scale;        // ValueRange's scale: linear, centred, log, symlog
layout(location = 3) uniform vec4 turn;        // cos and sin of the azimuth, cos and sin of the elevation
layout(location = 4) uniform vec2 extent;      // width and height of the field, relative to the longer side
layout(location = 5) uniform vec2 unit;        // clip-space length of 1, horizontally and vertically
layout(location = 6) uniform bvec2 ascending;  // whether columns and rows are ascending from back to front
layout(location = 7) uniform float height;     // of the colour range

out float place;  // position in the colour range, 0 to 1
out float light;
out float hole;

const vec3 kLight = vec3(-0.587, 0.342, 0.734);  // the light is behind the viewer on the left and turns with them

bool is_finite(float value) {
    return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
}

float spread(float value) {
    if (scale == 2) return value > 0.0 ? log(value) : -1e30;
    float small = float(max(abs(range.x), abs(range.y))) / 1000.0;
    return sign(value) * log(1.0 + abs(value) / small);
}

float place_of(float value) {
    if (!is_finite(value)) return 0.5;
    if (!(range.y > range.x)) return double(value) > range.x ? 1.0 : 0.0;
    if (scale < 2) return clamp(float((double(value) - range.x) / (range.y - range.x)), 0.0, 1.0);
    float low = spread(float(range.x));
    return clamp((spread(value) - low) / (spread(float(range.y)) - low), 0.0, 1.0);
}

float value_at(ivec2 texel) {
    return texelFetch(values, clamp(texel, ivec2(0), size - 1), 0).r;
}

float height_at(ivec2 texel) {
    return (place_of(value_at(texel)) - 0.5) * height;
}

void main() {
    int along = gl_VertexID / 2;
    ivec2 texel = ivec2(ascending.x ? along : size.x - 1 - along,
                        (ascending.y ? gl_InstanceID : size.y - 2 - gl_InstanceID) + gl_VertexID % 2);
    vec2 ground = ((vec2(texel) + 0.5) / vec2(size) - 0.5) * extent;
    vec2 slope = vec2(height_at(texel + ivec2(1, 0)) - height_at(texel - ivec2(1, 0)),
                      height_at(texel + ivec2(0, 1)) - height_at(texel - ivec2(0, 1))) *
                 vec2(size) / (2.0 * extent);
    mat2 turned = mat2(turn.x, turn.y, -turn.y, turn.x);
    vec2 at = turned * ground;
    vec3 normal = normalize(vec3(-(turned * slope), 1.0));
    place = place_of(value_at(texel));
    light = 0.3 + 0.954 * max(dot(normal, kLight), 0.0);  // 1 on level ground, so that colours are unchanged there
    hole = is_finite(value_at(texel)) ? 0.0 : 1.0;
    float up = (place - 0.5) * height;
    gl_Position = vec4(at.x * unit.x, (up * turn.z - at.y * turn.w) * unit.y, 0.0, 1.0);
}
