#version 450 core
// One colour.

layout(location = 18) uniform vec4 shade;

out vec4 color;

void main() {
    color = shade;
}
