# Writes OUTPUT, a C++ file that holds the text of FILES as embedded_NAME() (see stencilscope_embed).
set(rows "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  get_filename_component(stem "${file}" NAME_WE)
  string(APPEND rows "    {\"${stem}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new"
"#include \"sim/embedded.h\"

namespace stencil {

std::span<const EmbeddedFile> embedded_${NAME}() {
    static constexpr EmbeddedFile files[] = {
${rows}    };
    return files;
}

}  // namespace stencil
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
