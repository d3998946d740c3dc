# Finds Python's headers and nanobind, first in .tools/python (made by scripts/test), or builds without the Python
# module, and says which. Sets STENCILSCOPE_HAS_PYTHON.

set(STENCILSCOPE_PYTHON AUTO CACHE STRING "The Python module: AUTO (where Python's headers and nanobind are found), ON or OFF")
set_property(CACHE STENCILSCOPE_PYTHON PROPERTY STRINGS AUTO ON OFF)

set(STENCILSCOPE_HAS_PYTHON FALSE)
if(NOT STENCILSCOPE_PYTHON STREQUAL "OFF" AND NOT STENCILSCOPE_SANITIZE)
  # GLOB makes the build notice a folder that appears later.
  file(GLOB own_python CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.tools/python/bin/python)
  if(own_python AND NOT DEFINED Python_EXECUTABLE)
    set(Python_EXECUTABLE ${own_python} CACHE FILEPATH "Python that the module is for")
  endif()
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
  if(NOT Python_FOUND)
    set(why "no Python 3.9 with its headers (python3-dev)")
  else()
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
      OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      find_package(nanobind CONFIG REQUIRED)
      set(STENCILSCOPE_HAS_PYTHON TRUE)
    else()
      set(why "${Python_EXECUTABLE} has no nanobind (pip install nanobind)")
    endif()
  endif()
  if(STENCILSCOPE_HAS_PYTHON)
    message(STATUS "Python module: on (Python ${Python_VERSION}, nanobind ${nanobind_VERSION})")
    # A shared module needs position-independent code; hidden symbols keep its internal calls direct.
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  elseif(STENCILSCOPE_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "Python module: asked for, but ${why}")
  else()
    message(STATUS "Python module: off (${why})")
  endif()
endif()
