#include "app/window/window_command.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>

#include "app/interrupt.h"
#include "app/window/main_window.h"
#include "app/window/panels/panels.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
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

// Lets glibc return large blocks: several threads allocate and free blocks as large as a field, and their
// arenas would keep them (memory in use grew by half within three minutes).
void return_memory() {
#ifdef __GLIBC__
    constexpr int kArenas = 2, kLargeBlock = 256 * 1024;
    mallopt(M_ARENA_MAX, kArenas);
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
#endif
}

}  // namespace

int window_command(const WindowRequest& request) {
    return_memory();
    check_sections(request);
    watch_for_interrupts();
    const std::string inputs[] = {parse_initial(request.spec.initial).file};
    if (!request.screenshot.empty()) {
        require_not_input(request.screenshot, "--screenshot", inputs);
        require_writable(request.screenshot, "--screenshot: this file");
    }
    if (const std::string why = why_no_video(); !request.film.empty() && !why.empty())
        throw MachineError(fmt::format("cannot write {}: {}", request.film, why));
    check_json_file(request.json, "", inputs);
    const auto warm = warm_up_compiler();
    MainWindow window(request);
    try {
        while (window.turn() && interrupt_signal() == 0) {
        }
        if (!request.json.empty()) write_text_file(request.json, json_text(window.report()));
    } catch (...) {
        window.keep();
        throw;
    }
    window.keep();
    return interrupt_signal() == 0 ? 0 : 128 + interrupt_signal();
}

}  // namespace stencil
