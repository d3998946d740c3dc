#include "app/window/panels/panels.h"
#include "app/window/panels/widgets.h"
#include "sim/examples/example.h"

namespace stencil {

void draw_examples(UiState&, const Snapshot&) {
    for (const Example& example : examples()) {
        ImGui::TextUnformatted(example.name.data(), example.name.data() + example.name.size());
        paragraph(example.summary, faint_color());
    }
}

}  // namespace stencil
