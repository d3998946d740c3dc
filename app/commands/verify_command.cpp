#include "app/commands/verify_command.h"

#include <filesystem>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/json.h"

namespace stencil {

int verify_command(const VerifyRequest& request) {
    namespace fs = std::filesystem;
    watch_for_interrupts();
    check_json_file(request.json, request.out, request.spec.models);
    if (!request.out.empty()) make_folder(request.out, "--out");
    const Machine machine = query_machine();
    Verification verification(request.spec, machine);
    {
        ProgressLine progress(request.quiet);
        while (!verification.done() && interrupt_signal() == 0) {
            verification.work();
            const VerifyRow& row = verification.rows().back();
            progress.clear();
            if (!row.problem.empty())
                note_text(row_text(row));
            else if (!request.quiet)
                print_text(row_text(row));
            if (progress.due()) progress.show(fmt::format("{:3.0f}%", 100 * verification.share()));
        }
    }
    std::vector<fs::path> files;
    const auto put = [&](const fs::path& path, const nlohmann::ordered_json& json) {
        write_text_file(path, json_text(json));
        files.push_back(path);
    };
    if (!request.out.empty()) {
        put(fs::path(request.out) / "verify.json", verification.report());
        if (verification.done() && request.spec.models.empty())
            put(fs::path(request.out) / "certificate.json", verification.certificate());
    }
    if (!request.json.empty()) put(request.json, verification.report());
    if (!request.quiet) {
        print_text("\n" + verification.summary());
        print_written(files);
    }
    if (interrupt_signal() == 0) return verification.differing() > 0 ? 1 : 0;
    note("stencilscope: interrupted after {} comparisons\n", verification.rows().size());
    return 128 + interrupt_signal();
}

}  // namespace stencil
