#include "app/window/window_command.h"

#include <algorithm>

#include "app/interrupt.h"
#include "app/window/main_window.h"
#include "app/window/panels/panels.h"
#include "app/window/preferences.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {

namespace {

void check_sections(const WindowRequest& request) {
    if (!request.sections) return;
    std::vector<std::string> known;
    for (const Section& section : sections()) known.emplace_back(section.title);
    for (const std::string& title : *request.sections)
        if (std::ranges::find(known, title) == known.end())
            throw InputError("--sections: " + unknown_name_message("section", title, known));
}

}  // namespace

int window_command(const WindowRequest& request) {
    check_sections(request);
    watch_for_interrupts();
    if (!request.screenshot.empty()) require_writable(request.screenshot, "--screenshot: this file");
    if (!request.json.empty()) require_writable(request.json, "--json: this file");
    MainWindow window(request);
    while (window.turn() && interrupt_signal() == 0) {
    }
    if (!request.json.empty()) write_text_file(request.json, window.report().dump(2) + "\n");
    if (request.frames == 0) save_preferences(window.preferences());
    return interrupt_signal() == 0 ? 0 : 128 + interrupt_signal();
}

}  // namespace stencil
