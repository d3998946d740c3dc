# Writes OUTPUT, a header with the commit of SOURCE; empty if git does not know it.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(WRITE "${OUTPUT}" "#define STENCILSCOPE_COMMIT \"${commit}\"\n")
