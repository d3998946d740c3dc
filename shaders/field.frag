#version 450 core
// Colours the values of a field as Colormap::at() does, in the same precision: a range may be narrower than
// what a float can resolve.

layout(binding = 0) uniform sampler2D values;
layout(binding = 1) uniform sampler2D colors;  // 256 x 1

layout(location = 0) uniform vec2 top_left;  // of the drawn box, in gl_FragCoord's coordinates (y up)
layout(location = 1) uniform ivec2 first;    // the texel at the box' corner
layout(location = 2) uniform vec2 into;      // how far into it the corner is, in [0, 1)
layout(location = 3) uniform vec2 density;   // texels a screen pixel
layout(location = 4) uniform ivec2 size;     // texels in use
layout(location = 5) uniform dvec2 range;    // low, high

out vec4 color;

bool not_a_number(float value) {
    return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u;
}

int entry_of(float value) {
    double low = range.x, high = range.y;
    if (!(high > low)) return double(value) > low ? 255 : 0;
    double entry = (double(value) - low) / (high - low) * 256.0lf;
    return entry > 0.0lf ? int(min(entry, 255.0lf)) : 0;
}

void main() {
    vec2 place = vec2(gl_FragCoord.x - top_left.x, top_left.y - gl_FragCoord.y);
    ivec2 texel = clamp(first + ivec2(floor(into + place * density)), ivec2(0), size - 1);
    float value = texelFetch(values, texel, 0).r;
    color = not_a_number(value) ? vec4(vec3(128.0 / 255.0), 1.0)
                                : vec4(texelFetch(colors, ivec2(entry_of(value), 0), 0).rgb, 1.0);
}
