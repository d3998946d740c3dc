#version 450 core
// Lines between pairs of points in clip space.

layout(location = 0) uniform vec2 ends[18];

void main() {
    gl_Position = vec4(ends[gl_VertexID], 0.0, 1.0);
}
