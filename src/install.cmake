# SPDX-License-Identifier: Apache-2.0
# Installs the libraries. Each has its own targets file and its own pkg-config
# file, so find_package(stowage COMPONENTS core) searches only for packages that
# the core needs. All paths are relative, so an installation may be moved. The
# command is installed by src/command.
include(CMakePackageConfigHelpers)

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stowage)
# Do not install headers of libraries that are not built, because their use would
# cause linker errors.
set(headers_left_out)
foreach(library io c proof programs dynamic explain views recordings tflite tflm harness kit testing)
  if(NOT TARGET stowage_${library})
    set(headers ${library})
    if(library STREQUAL proof)
      set(headers certificate.h)
    elseif(library STREQUAL kit)
      set(headers testing)
    elseif(library STREQUAL testing)
      set(headers "testing/(check_planner|generators|generators_inl|models).h")
    endif()
    list(APPEND headers_left_out REGEX /include/stowage/${headers}$ EXCLUDE)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stowage ${PROJECT_BINARY_DIR}/include/stowage
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" ${headers_left_out})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir}
           OUTPUT_VARIABLE pc_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${pc_dir}
           OUTPUT_VARIABLE pc_includedir)

# install_library(NAME) installs a library, its targets file and its pkg-config
# file. The dependencies in both files come from the target. A static library
# lists everything that it links, and a shared library only what its headers use.
# Sets PACKAGES_NAME to the packages and NEEDS_NAME to the libraries of ours that
# the library links. Adds targets that another part of this build defines to
# `built_elsewhere`.
function(install_library name)
  set(target stowage_${name})
  set(pc_name stowage-${name})
  if(name STREQUAL stowage)
    set(target stowage)
    set(pc_name stowage)
  endif()
  install(TARGETS ${target} EXPORT stowage-${name})
  install(EXPORT stowage-${name} NAMESPACE stowage:: DESTINATION ${cmake_dir}
          FILE stowage-${name}.cmake)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT links)
    set(links)  # a shared library lists none
  endif()
  set(pc_libs)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    set(pc_libs -l${target})
    get_target_property(output_name ${target} OUTPUT_NAME)
    if(output_name)
      set(pc_libs -l${output_name})
    endif()
  endif()
  get_target_property(options ${target} INTERFACE_LINK_OPTIONS)
  if(options)
    list(TRANSFORM options REPLACE "^LINKER:" "-Wl,")
    list(JOIN options " " options)
    string(PREPEND pc_libs "${options} ")
  endif()
  set(pc_requires)
  set(packages)
  set(needs)
  set(built)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    if(TARGET ${link} AND NOT link MATCHES "^stowage_")
      get_target_property(is_imported ${link} IMPORTED)
      if(NOT is_imported)
        list(APPEND built ${link})
      endif()
    endif()
    if(link MATCHES "^\\$<")
      continue()  # needed only by the build, or optional
    elseif(link MATCHES "^absl::(.*)")
      list(APPEND pc_requires absl_${CMAKE_MATCH_1})
      list(APPEND packages absl)
    elseif(link STREQUAL OpenSSL::Crypto)
      list(APPEND pc_requires libcrypto)
      list(APPEND packages OpenSSL)
    elseif(link STREQUAL ZLIB::ZLIB)
      list(APPEND pc_requires zlib)
      list(APPEND packages ZLIB)
    elseif(link STREQUAL zstd::libzstd_shared)
      list(APPEND pc_requires libzstd)
      list(APPEND packages zstd)
    elseif(link MATCHES "^stowage_(.*)")
      list(APPEND pc_requires stowage-${CMAKE_MATCH_1})
      list(APPEND needs ${CMAKE_MATCH_1})
    elseif(link MATCHES "^-l" OR IS_ABSOLUTE ${link})
      string(APPEND pc_libs " ${link}")
    elseif(link MATCHES "^-")
      string(PREPEND pc_libs "${link} ")
    else()
      string(APPEND pc_libs " -l${link}")
      list(APPEND packages ${link})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set(built_elsewhere ${built_elsewhere} ${built} PARENT_SCOPE)
  set(PACKAGES_${name} ${packages} PARENT_SCOPE)
  set(NEEDS_${name} ${needs} PARENT_SCOPE)
  list(JOIN pc_requires ", " pc_requires)
  configure_file(${PROJECT_SOURCE_DIR}/src/install/library.pc.in
                 ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

get_property(libraries GLOBAL PROPERTY STOWAGE_LIBRARIES)
set(dependencies)
set(built_elsewhere)
foreach(name IN LISTS libraries)
  install_library(${name})
  string(APPEND dependencies "set(stowage_${name}_packages ${PACKAGES_${name}})\n"
         "set(stowage_${name}_needs ${NEEDS_${name}})\n")
endforeach()
# CMake refuses to export our libraries if these targets are in no export set.
if(built_elsewhere)
  list(REMOVE_DUPLICATES built_elsewhere)
  list(JOIN built_elsewhere " " targets)
  message(STATUS "Installing stowage takes what it links, ${targets}, which the project around it "
                 "builds; expected it to install these too (abseil: ABSL_ENABLE_INSTALL=ON), "
                 "or STOWAGE_INSTALL=OFF")
endif()
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/install/stowageConfig.cmake.in
  ${PROJECT_BINARY_DIR}/stowageConfig.cmake INSTALL_DESTINATION ${cmake_dir})
# Before version 1.0, a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stowageConfig.cmake
              ${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake
        DESTINATION ${cmake_dir})
