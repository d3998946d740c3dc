# Options of every target of the project.

add_library(stencilscope_options INTERFACE)
target_include_directories(stencilscope_options INTERFACE ${CMAKE_SOURCE_DIR})
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND warnings -Wno-unused-lambda-capture)  # without CUDA some captures have no use
endif()
if(STENCILSCOPE_WARNINGS_FAIL)
  list(APPEND warnings -Werror)
  set(cuda_warnings_fail ",-Werror --Werror=all-warnings")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC derives these warnings from optimised code: they vary between versions and are often wrong about the standard
  # library's strings and vectors (bugs 105651, 109224).
  foreach(guess IN ITEMS array-bounds free-nonheap-object maybe-uninitialized restrict stringop-overflow)
    list(APPEND warnings -Wno-${guess})
  endforeach()
endif()
target_compile_options(stencilscope_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(STENCILSCOPE_HAS_CUDA)
  # Profilers need line numbers, which are two thirds of a kernel's size, so packages for every GPU omit them.
  if(NOT STENCILSCOPE_CUDA STREQUAL "PORTABLE")
    set(line_numbers -lineinfo)
  endif()
  # nvcc passes -Wpedantic on to the host compiler, which complains about nvcc's generated code, so it is not used.
  target_compile_options(stencilscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra${cuda_warnings_fail} --expt-relaxed-constexpr ${line_numbers}>")
  target_compile_definitions(stencilscope_options INTERFACE STENCILSCOPE_HAS_CUDA=1)
else()
  target_compile_definitions(stencilscope_options INTERFACE STENCILSCOPE_HAS_CUDA=0)
endif()
if(STENCILSCOPE_SANITIZE)
  # These are a folder's options, which come before a target's, because the last -fsanitize or -fno-sanitize wins.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${STENCILSCOPE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(stencilscope_options INTERFACE -fsanitize=${STENCILSCOPE_SANITIZE})
  # For all code but the kernels, which compute addresses: AddressSanitizer also finds invalid pointers, and these
  # checks take half of a file's compile time.
  set(stencilscope_fewer_checks -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  # Every test is a process, which a program at a fixed address starts in three quarters of the time.
  add_link_options(-no-pie)
endif()
set(disabled_vectors "")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Arrays cannot hold vectors of unknown length.
  list(APPEND disabled_vectors HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128 HWY_RVV)
endif()
if(STENCILSCOPE_SANITIZE OR STENCILSCOPE_FUZZ)
  # One length of vectors is enough where memory and threads are watched: AVX2's, or single numbers on older processors.
  list(APPEND disabled_vectors HWY_SSSE3 HWY_SSE4 HWY_AVX3 HWY_AVX3_DL)
endif()
if(disabled_vectors)
  list(JOIN disabled_vectors "|" disabled_vectors)
  add_compile_definitions("HWY_DISABLED_TARGETS=(${disabled_vectors})")
endif()

# stencilscope_precompile(TARGET HEADERS...) or (TARGET REUSE_FROM OTHER): precompiles headers that nearly all files of
# TARGET include. Files still include what they use; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
function(stencilscope_precompile target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    # The headers were compiled with the library's options, so a program must not add -fPIE.
    if(CMAKE_POSITION_INDEPENDENT_CODE)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  else()
    list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")  # ccache needs it
  endif()
endfunction()
# stencilscope_join_folders(TARGET): compiles each folder as one unity source, with sanitizers and with
# STENCILSCOPE_JOIN; this halves the build time. Names in unnamed namespaces must be unique in a folder.
# Excludes kernels, which are compiled for several processors, and sources added to TARGET later.
function(stencilscope_join_folders target)
  if(NOT STENCILSCOPE_SANITIZE AND NOT STENCILSCOPE_FUZZ AND NOT STENCILSCOPE_JOIN)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # In a unity build GCC takes a source for a header, and warns about classes with members of unnamed namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    if(NOT folder MATCHES "^kernels")
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()

set(stencilscope_standard_headers algorithm array chrono cmath cstdint deque functional limits map memory mutex numeric optional
  ranges span stdexcept string string_view utility variant vector)
# What most files outside the kernels include, too. The JSON library alone has 25,000 lines.
set(stencilscope_common_headers ${stencilscope_standard_headers} atomic condition_variable filesystem fstream future sstream
  thread fmt/format.h sim/text/json.h)

# Headers of packages without a CMake configuration.
find_package(PkgConfig REQUIRED)

# stencilscope_embed(TARGET NAME FILES...): makes the files part of TARGET as
#   std::span<const stencil::EmbeddedFile> stencil::embedded_NAME();
# declared in sim/text/embedded.h; a file's name is its name without folder and ending.
function(stencilscope_embed target name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${ARGN}" -DOUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/scripts/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/scripts/cmake/embed.cmake
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# stencilscope_text(TARGET FILE HEADER VARIABLE): defines VARIABLE, a const char* const that HEADER declares, as the
# text of FILE in TARGET.
function(stencilscope_text target file header variable)
  get_filename_component(stem ${file} NAME_WE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/text_of_${stem}.cpp)
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"${header}\"

const char* const ${variable} = R\"TEXT(@text@)TEXT\";
")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  target_sources(${target} PRIVATE ${output})
endfunction()
