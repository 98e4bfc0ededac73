# What `cmake --install` installs of the library: itself, what runs models, what
# tests planners, its headers, and what
# find_package(stowage) and pkg-config need to find them. Everything finds the
# rest relative to itself, so an installation may be moved. The command installs
# itself in src/cli.
include(CMakePackageConfigHelpers)

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stowage)
install(TARGETS stowage stowage_harness stowage_testing EXPORT stowage)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stowage ${PROJECT_BINARY_DIR}/include/stowage
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT stowage NAMESPACE stowage:: DESTINATION ${cmake_dir}
        FILE stowageTargets.cmake)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/install/stowageConfig.cmake.in
  ${PROJECT_BINARY_DIR}/stowageConfig.cmake INSTALL_DESTINATION ${cmake_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stowageConfig.cmake
              ${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake
        DESTINATION ${cmake_dir})

set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir}
           OUTPUT_VARIABLE pc_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${pc_dir}
           OUTPUT_VARIABLE pc_includedir)
function(install_pc pc_name pc_library pc_description pc_requires)
  configure_file(${PROJECT_SOURCE_DIR}/src/install/library.pc.in
                 ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# stowage.pc asks for what the target asks of those who link it, so that there
# is one list: of a static library everything, of a shared one what its headers
# mention.
get_target_property(requires stowage INTERFACE_LINK_LIBRARIES)
list(TRANSFORM requires REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
list(TRANSFORM requires REPLACE "^absl::" "absl_")
list(JOIN requires ", " requires)
install_pc(stowage stowage "${PROJECT_DESCRIPTION}" "${requires}")
install_pc(stowage-harness stowage_harness "Runs models under plans" stowage)
install_pc(stowage-testing stowage_testing "Tests planners" stowage)

# The command finds a shared library beside itself.
if(TARGET stowage_command AND BUILD_SHARED_LIBS)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
             BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE to_libraries)
  set_target_properties(stowage_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
endif()
