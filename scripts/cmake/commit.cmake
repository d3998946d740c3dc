# Writes OUTPUT, a header that says which commit SOURCE is at; an empty text where git does not know.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(WRITE "${OUTPUT}" "#define STENCILSCOPE_COMMIT \"${commit}\"\n")
