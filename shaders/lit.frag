#version 450 core
// The colour of the value, with diffuse lighting.

layout(binding = 1) uniform sampler2D colors;  // 256 x 1

in float place;
in float light;
in float hole;
out vec4 color;

void main() {
    if (hole > 0.0) discard;
    int entry = clamp(int(place * 256.0), 0, 255);
    color = vec4(texelFetch(colors, ivec2(entry, 0), 0).rgb * min(light, 1.0), 1.0);
}
