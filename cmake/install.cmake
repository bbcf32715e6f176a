# What `cmake --install` puts where, and how other projects find it.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/binprof)

# What a static library needs besides itself.
set(private_packages "jansson")
set(BINPROF_CONFIG_ZSTD OFF)
if(BINPROF_ZSTD)
  string(APPEND private_packages ", libzstd")
  set(BINPROF_CONFIG_ZSTD ON)
endif()

# Found from where the file lies, so that the installation can be moved.
file(RELATIVE_PATH BINPROF_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/binprof.pc.in ${PROJECT_BINARY_DIR}/binprof.pc @ONLY)
configure_package_config_file(cmake/binprof-config.cmake.in
  ${PROJECT_BINARY_DIR}/binprof-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/binprof-config-version.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS binprof_static binprof_shared EXPORT binprof-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT binprof-targets NAMESPACE binprof:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/binprof-config.cmake
              ${PROJECT_BINARY_DIR}/binprof-config-version.cmake DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/binprof.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/binprof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md spec/capture-format.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
