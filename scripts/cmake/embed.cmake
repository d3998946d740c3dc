# Writes OUTPUT, a C++ file that holds the bytes of FILES as embedded_NAME() (see stencilscope_embed).
set(arrays "")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(stem "${file}" NAME_WE)
  file(READ "${file}" bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  list(LENGTH rows index)
  string(APPEND arrays "constexpr char bytes${index}[] = {${bytes} 0};\n")
  list(APPEND rows "    {\"${stem}\", {bytes${index}, ${size}}},\n")
endforeach()
string(JOIN "" rows ${rows})
file(WRITE "${OUTPUT}.new"
"#include \"sim/text/embedded.h\"

namespace stencil {
namespace {

${arrays}
}  // namespace

std::span<const EmbeddedFile> embedded_${NAME}() {
    static constexpr EmbeddedFile files[] = {
${rows}    };
    return files;
}

}  // namespace stencil
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
