# Installation and packages: the program, its generated manual page and completions, a desktop entry, examples and
# licences.

include(GNUInstallDirs)
set(STENCILSCOPE_HOMEPAGE_URL "" CACHE STRING "Where this source tree can be seen, for the links and pictures in the metadata of packages")
execute_process(COMMAND git log -1 --format=%cs WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  OUTPUT_VARIABLE release_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT release_date)
  string(TIMESTAMP release_date "%Y-%m-%d" UTC)
endif()
set(package_texts ${CMAKE_BINARY_DIR}/package)
set(package_assets ${CMAKE_SOURCE_DIR}/assets/package)
install(TARGETS stencilscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(STENCILSCOPE_HAS_MPI)
  install(TARGETS stencilscope_mpi LIBRARY DESTINATION lib/stencilscope)  # sim/machine/communicator.cpp looks there
endif()

install(CODE "set(program \"$<TARGET_FILE:stencilscope>\")\nset(texts \"${package_texts}\")")
install(CODE [[
  file(MAKE_DIRECTORY ${texts})
  foreach(format IN ITEMS man bash zsh fish)
    execute_process(COMMAND ${program} options --format ${format} OUTPUT_FILE ${texts}/${format} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  execute_process(COMMAND gzip -9nf ${texts}/man COMMAND_ERROR_IS_FATAL ANY)
]])
install(FILES ${package_texts}/man.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME stencilscope.1.gz)
install(FILES ${package_texts}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stencilscope)
install(FILES ${package_texts}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _stencilscope)
install(FILES ${package_texts}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME stencilscope.fish)

if(STENCILSCOPE_HAS_WINDOW)
  # One entry for the menu; two that open the files of a file manager, whose options differ.
  foreach(entry IN ITEMS stencilscope stencilscope-spec stencilscope-model)
    install(FILES ${package_assets}/${entry}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  endforeach()
  install(FILES ${package_assets}/stencilscope.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME stencilscope.xml)
  set(metainfo ${package_texts}/stencilscope.metainfo.xml)
  configure_file(${package_assets}/stencilscope.metainfo.xml.in ${metainfo} @ONLY)
  if(NOT STENCILSCOPE_HOMEPAGE_URL)  # rather no links than such as lead nowhere
    file(READ ${metainfo} text)
    string(REGEX REPLACE "  <url .*</screenshots>\n" "" text "${text}")
    file(WRITE ${metainfo} "${text}")
  endif()
  install(FILES ${metainfo} DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
    RENAME org.stencilscope.Stencilscope.metainfo.xml)
  set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
  install(FILES ${package_assets}/stencilscope.svg DESTINATION ${icons}/scalable/apps)
  install(FILES ${package_assets}/stencilscope.png DESTINATION ${icons}/256x256/apps)
endif()

# Also embedded in the program; installed as files to read and copy.
install(DIRECTORY assets/models assets/kernels assets/runs DESTINATION ${CMAKE_INSTALL_DATADIR}/stencilscope)
install(FILES README.md SECURITY.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
foreach(room IN ITEMS app kernels sim/examples)
  string(REPLACE / - name ${room})
  install(FILES ${room}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME ${name}.md)
endforeach()
file(READ ${package_assets}/copyright copyright)
file(READ LICENSE license)
file(WRITE ${package_texts}/copyright "${copyright}${license}")
install(FILES ${package_texts}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Licences of code and fonts inside the program: installed beside our own, in a wheel beside the module.
function(stencilscope_install_terms name file)
  if(EXISTS ${file})
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/parts RENAME ${name})
    install(FILES ${file} DESTINATION stencilscope/parts RENAME ${name} COMPONENT python EXCLUDE_FROM_ALL)
  endif()
endfunction()
foreach(part IN ITEMS libimgui-dev libstb-dev python3-glad fonts-roboto-unhinted fonts-font-awesome fonts-dejavu-core
    libcli11-dev nlohmann-json3-dev libfmt-dev libeigen3-dev libhwy-dev libxxhash-dev libjpeg62-turbo libjpeg-turbo8)
  stencilscope_install_terms(${part} /usr/share/doc/${part}/copyright)
endforeach()
# Wheels and AppImages hold these libraries of the system, too.
foreach(part IN ITEMS libopenblas0-pthread libgfortran5 libcairo2 libpixman-1-0 libfontconfig1 libfreetype6 libpng16-16 libexpat1
    libglfw3 libhwy1 libhwy0 libstb0 zlib1g libbrotli1 libx11-6 libxext6 libxrender1 libxcb1 libxau6 libxdmcp6 libbsd0 libmd0)
  if(EXISTS /usr/share/doc/${part}/copyright)
    install(FILES /usr/share/doc/${part}/copyright DESTINATION stencilscope/parts RENAME ${part} COMPONENT python EXCLUDE_FROM_ALL)
  endif()
endforeach()
# The licences above refer to this text by name; only systems that use a wheel may lack it.
if(EXISTS /usr/share/common-licenses/Apache-2.0)
  install(FILES /usr/share/common-licenses/Apache-2.0 DESTINATION stencilscope/parts COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(STENCILSCOPE_HAS_CUDA)  # CUB's licence is in its headers
  find_file(cub_version cub/version.cuh PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_DEFAULT_PATH)
  mark_as_advanced(cub_version)
  if(cub_version)
    file(READ ${cub_version} terms LIMIT 4000)
    string(REGEX REPLACE "\\*\\*/.*" "**/\n" terms "${terms}")
    file(WRITE ${package_texts}/cub "${terms}")
    stencilscope_install_terms(cub ${package_texts}/cub)
  endif()
endif()

# Debian wants a separate changelog.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md LICENSE ${package_assets}/copyright)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGE_CONTACT "The Stencilscope authors <stencilscope@stencilscope.invalid>")
execute_process(COMMAND git log -1 --format=%cD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(WRITE ${package_texts}/changelog.Debian
"stencilscope (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * What is new stands in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(COPY_FILE CHANGELOG.md ${package_texts}/changelog)
execute_process(COMMAND gzip -9nf ${package_texts}/changelog ${package_texts}/changelog.Debian)
install(FILES ${package_texts}/changelog.gz ${package_texts}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(FILES ${package_assets}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME stencilscope)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Stencilscope authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for explicit stencil computations on 2D fields")
set(CPACK_PACKAGE_DESCRIPTION
"Steps diffusion, and any equation that is typed, on the CPU or an NVIDIA
GPU: in a window, live, or headless, with exports of images, arrays,
figures and timings. Measures how close to the machine's limits each
method runs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at first use. Without FFTW the default initial condition, jagged, is missing.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfftw3-double3, libfftw3-single3, libopenblas0")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "hdf5-tools, netcdf-bin, libtiff-tools, libpangocairo-1.0-0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, zenity, xclip")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
