# Finds MPI or builds without it; sets STENCILSCOPE_HAS_MPI and defines it for all code.
set(STENCILSCOPE_MPI AUTO CACHE STRING "Fields spread over several processes, by MPI: AUTO, ON or OFF")
set_property(CACHE STENCILSCOPE_MPI PROPERTY STRINGS AUTO ON OFF)

set(STENCILSCOPE_HAS_MPI OFF)
if(STENCILSCOPE_MPI)
  enable_language(C)  # required by FindMPI; MPI's C++ bindings no longer exist
  find_package(MPI COMPONENTS C QUIET)
  if(MPI_C_FOUND)
    set(STENCILSCOPE_HAS_MPI ON)
    message(STATUS "Several processes: on (MPI ${MPI_C_VERSION})")
  elseif(STENCILSCOPE_MPI STREQUAL "ON")
    message(FATAL_ERROR "STENCILSCOPE_MPI=ON, but no MPI was found (Debian: libopenmpi-dev)")
  endif()
endif()
if(NOT STENCILSCOPE_HAS_MPI)
  message(STATUS "Several processes: off (no MPI; Debian: libopenmpi-dev)")
endif()
