// stencilscope verify: proves that this machine steps as it should.
#pragma once

#include <string>

#include "sim/verify/verify.h"

namespace stencil {

struct VerifyRequest {
    VerifySpec spec;
    std::string out;   ///< folder for verify.json and certificate.json; empty: none are written
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

/// Returns the exit status: 0, 1 where anything differs, or 128 + the signal that ended it early.
int verify_command(const VerifyRequest& request);

}  // namespace stencil
