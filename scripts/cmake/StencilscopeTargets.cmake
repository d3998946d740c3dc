# What every target of the project is built with.

add_library(stencilscope_options INTERFACE)
target_include_directories(stencilscope_options INTERFACE ${CMAKE_SOURCE_DIR})
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
set(less -Wno-)
if(STENCILSCOPE_WARNINGS_FAIL)
  list(APPEND warnings -Werror)
  set(less -Wno-error=)
  set(cuda_warnings_fail ",-Werror --Werror=all-warnings")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC derives these from optimised code: they differ from version to version, and are often wrong about the standard
  # library's strings and vectors (bugs 105651, 109224). Developers see them, and they fail nothing.
  foreach(guess IN ITEMS array-bounds free-nonheap-object maybe-uninitialized restrict stringop-overflow)
    list(APPEND warnings ${less}${guess})
  endforeach()
endif()
target_compile_options(stencilscope_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(STENCILSCOPE_HAS_CUDA)
  # Profilers want line numbers, which are two thirds of a kernel's size: packages for every GPU go without.
  if(NOT STENCILSCOPE_CUDA STREQUAL "PORTABLE")
    set(line_numbers -lineinfo)
  endif()
  # nvcc passes -Wpedantic complaints about its own generated code on to the host compiler, so that stays out.
  target_compile_options(stencilscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra${cuda_warnings_fail} --expt-relaxed-constexpr ${line_numbers}>")
  target_compile_definitions(stencilscope_options INTERFACE STENCILSCOPE_HAS_CUDA=1)
else()
  target_compile_definitions(stencilscope_options INTERFACE STENCILSCOPE_HAS_CUDA=0)
endif()
if(STENCILSCOPE_SANITIZE)
  target_compile_options(stencilscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${STENCILSCOPE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(stencilscope_options INTERFACE -fsanitize=${STENCILSCOPE_SANITIZE})
  # For all but the kernels, whose cells are reached by arithmetic: what AddressSanitizer finds too where a pointer is
  # wrong, and takes a third of the time that a file needs to compile.
  set(stencilscope_fewer_checks -fno-sanitize=null,alignment,object-size,vptr)
endif()
set(disabled_vectors "")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Vectors whose length the compiler does not know cannot be kept in arrays.
  list(APPEND disabled_vectors HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128 HWY_RVV)
endif()
if(STENCILSCOPE_SANITIZE STREQUAL "thread" OR STENCILSCOPE_FUZZ)
  list(APPEND disabled_vectors HWY_AVX3 HWY_AVX3_DL)  # one processor's vectors are enough there
endif()
if(disabled_vectors)
  list(JOIN disabled_vectors "|" disabled_vectors)
  add_compile_definitions("HWY_DISABLED_TARGETS=(${disabled_vectors})")
endif()

# stencilscope_precompile(TARGET HEADERS...), or (TARGET REUSE_FROM OTHER): what nearly every file of TARGET includes is
# translated once. Files include what they use all the same: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
function(stencilscope_precompile target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    # A program would be told -fPIE, and the headers were translated for a library.
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
# stencilscope_join_folders(TARGET): the files of a folder are translated as one, with sanitizers, and of the window and the
# tests with STENCILSCOPE_JOIN, which takes half the time: names of unnamed namespaces are unique in a folder. Not kernels,
# which are translated for several processors each, and not what comes to TARGET later.
function(stencilscope_join_folders target)
  if(NOT STENCILSCOPE_SANITIZE AND NOT STENCILSCOPE_FUZZ AND
      NOT (STENCILSCOPE_JOIN AND target MATCHES "^(stencilscope_window|stencilscope_test_support|tests_)"))
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What a source hides in a class is in no header, though GCC takes it for one.
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

set(stencilscope_standard_headers algorithm array chrono cmath cstdint deque functional limits map memory mutex optional
  span stdexcept string string_view utility variant vector)

# Headers of packages that come without a CMake configuration.
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
