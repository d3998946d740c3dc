#version 450 core
// One triangle that covers the viewport, generated from gl_VertexID without a vertex buffer.

void main() {
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
