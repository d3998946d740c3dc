#version 450 core
// A rectangle from its four corners, without a vertex buffer.

layout(location = 0) uniform vec4 rect;  // x0, y0, x1, y1 in clip space; (x0, y0) shows row 0

out vec2 place;  // (0, 0) to (1, 1) over the picture, row 0 on top

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(rect.xy, rect.zw, place), 0.0, 1.0);
}
