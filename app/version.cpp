#include "app/version.h"

#include <fmt/format.h>

#include <string_view>

#include "sim/files/exchange/field_set.h"
#include "sim/machine/communicator.h"
#include "stencilscope_commit.h"

namespace stencil {

std::string version_text() {
    const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
    constexpr std::string_view commit = STENCILSCOPE_COMMIT;
    return fmt::format("stencilscope {}{}{}\nCUDA: {}; window: {}; MPI: {}; HDF5: {}",
                       STENCILSCOPE_VERSION,
                       commit.empty() ? "" : ", commit ",
                       commit,
                       answer(STENCILSCOPE_HAS_CUDA),
                       answer(STENCILSCOPE_HAS_WINDOW),
                       answer(Communicator::is_built_in()),
                       answer(why_no_hdf5().empty()));
}

}  // namespace stencil
