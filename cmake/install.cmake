# Libraries, headers, executable, data: everything find_package(qpcast) and a user need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(targets qpcast_model qpcast_advise qpcast_scenarios qpcast_calibrate qpcast_import qpcast_validate)
foreach(target ${targets})
  string(REPLACE "qpcast_" "" short ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
endforeach()
install(TARGETS ${targets} EXPORT qpcastTargets)
install(TARGETS qpcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder model scenarios calibrate validate)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qpcast
          FILES_MATCHING PATTERN "*.hpp" PATTERN "testing.hpp" EXCLUDE PATTERN "simgrid" EXCLUDE)
endforeach()
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/qpcast
        FILES_MATCHING PATTERN "*.json" PATTERN "*.md")
install(DIRECTORY data DESTINATION ${CMAKE_INSTALL_DATADIR}/qpcast)

install(EXPORT qpcastTargets NAMESPACE qpcast::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/qpcast)
configure_package_config_file(cmake/qpcastConfig.cmake.in qpcastConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/qpcast)
write_basic_package_version_file(qpcastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/qpcastConfig.cmake ${PROJECT_BINARY_DIR}/qpcastConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/qpcast)
