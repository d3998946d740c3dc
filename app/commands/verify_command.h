// stencilscope verify: checks that this machine computes the expected bits.
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

/// Returns the exit status: 0; 1 if any result differs; or 128 + the signal that interrupted it.
int verify_command(const VerifyRequest& request);

}  // namespace stencil
