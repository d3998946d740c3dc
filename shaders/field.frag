#version 450 core
// Colours field values like Colormap::at(), with double precision where needed: the range may be narrower
// than the resolution of a float.

layout(binding = 0) uniform sampler2D values;
layout(binding = 1) uniform sampler2D colors;   // 256 x 1
layout(binding = 2) uniform sampler2D borders;  // 255 x 1: the lower bound of each entry but the first

layout(location = 0) uniform vec2 top_left;     // corner of the drawn box, in gl_FragCoord's coordinates (y up)
layout(location = 1) uniform ivec2 first;       // texel at that corner
layout(location = 2) uniform vec2 into;         // offset of the corner within that texel, in [0, 1)
layout(location = 3) uniform vec2 density;      // texels per screen pixel
layout(location = 4) uniform ivec2 size;        // texels in use
layout(location = 5) uniform dvec2 range;       // low, high
layout(location = 6) uniform bool by_borders;
layout(location = 7) uniform int level_count;
layout(location = 8) uniform float levels[32];  // contour levels, ascending

out vec4 color;

bool is_finite(float value) {
    return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
}

int entry_in(double low, double high, float value) {
    double entry = (double(value) - low) / (high - low) * 256.0lf;
    return entry > 0.0lf ? int(min(entry, 255.0lf)) : 0;
}

// GPUs divide floats many times faster than doubles, so doubles are used only where a float is ambiguous:
// near the border of two entries, or for extreme ranges.
int entry_of(float value) {
    if (!(range.y > range.x)) return double(value) > range.x ? 255 : 0;
    float width = float(range.y - range.x);
    float entry = float(double(value) - range.x) / width * 256.0;
    const float kDoubt = 1e-3;  // hundreds of times the quotient's rounding error
    bool certain = entry > kDoubt && entry < 255.0 && abs(entry - round(entry)) > kDoubt && width > 1e-30 && width < 1e30;
    return certain ? int(entry) : entry_in(range.x, range.y, value);
}

int entry_above(float value) {
    int entry = 0;
    for (int half_way = 128; half_way > 0; half_way /= 2)
        if (value >= texelFetch(borders, ivec2(entry + half_way - 1, 0), 0).r) entry += half_way;
    return entry;
}

float value_at(ivec2 texel) {
    return texelFetch(values, clamp(texel, ivec2(0), size - 1), 0).r;
}

// Bilinear interpolation between texel centres, so that contours are smooth where a cell covers many pixels.
int levels_reached(vec2 place) {
    vec2 at = round((into + place * density - 0.5) * 4096.0) / 4096.0;  // rounded so that texel centres are hit exactly
    vec2 share = fract(at);
    ivec2 low = first + ivec2(floor(at)), high = low + ivec2(greaterThan(share, vec2(1e-3)));
    float value = mix(mix(value_at(low), value_at(ivec2(high.x, low.y)), share.x),
                      mix(value_at(ivec2(low.x, high.y)), value_at(high), share.x), share.y);
    int reached = 0;
    while (reached < level_count && value >= levels[reached]) ++reached;
    return reached;
}

// The contour between this pixel and its right or lower neighbour, the lowest of several; -1: there is none.
int contour_at(vec2 place) {
    int here = levels_reached(place), right = levels_reached(place + vec2(1, 0)), below = levels_reached(place + vec2(0, 1));
    int least = min(here, min(right, below));
    return least < max(here, max(right, below)) ? least : -1;
}

vec3 color_of(float value) {
    return texelFetch(colors, ivec2(by_borders ? entry_above(value) : entry_of(value), 0), 0).rgb;
}

void main() {
    vec2 place = vec2(gl_FragCoord.x - top_left.x, top_left.y - gl_FragCoord.y);
    ivec2 texel = clamp(first + ivec2(floor(into + place * density)), ivec2(0), size - 1);
    float value = texelFetch(values, texel, 0).r;
    color = !is_finite(value) ? vec4(1.0, 0.0, 1.0, 1.0)
                              : vec4(color_of(value), 1.0);
    int contour = level_count > 0 ? contour_at(place) : -1;
    // A line is black or white by its level's colour, so that it does not change on the way.
    if (contour >= 0) color.rgb = vec3(dot(color_of(levels[contour]), vec3(0.2126, 0.7152, 0.0722)) > 0.5 ? 0.0 : 1.0);
}
