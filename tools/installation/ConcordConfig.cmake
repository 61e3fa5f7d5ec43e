# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0

# find_package(Concord [0.1] [COMPONENTS c cpp]): the targets Concord::c, the
# shared library of the C interface, and Concord::cpp, the archive for C++17.

get_filename_component(_concord_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT Concord_FIND_COMPONENTS)
  set(Concord_FIND_COMPONENTS c cpp)
endif()
foreach(_concord_component IN LISTS Concord_FIND_COMPONENTS)
  if(_concord_component STREQUAL "c")
    if(NOT TARGET Concord::c)
      add_library(Concord::c SHARED IMPORTED)
      set_target_properties(Concord::c PROPERTIES
        IMPORTED_LOCATION "${_concord_prefix}/lib/libconcord.so.0"
        IMPORTED_SONAME "libconcord.so.0"
        INTERFACE_INCLUDE_DIRECTORIES "${_concord_prefix}/include")
    endif()
    set(Concord_c_FOUND TRUE)
  elseif(_concord_component STREQUAL "cpp")
    if(NOT TARGET Concord::cpp)
      add_library(Concord::cpp STATIC IMPORTED)
      set_target_properties(Concord::cpp PROPERTIES
        IMPORTED_LOCATION "${_concord_prefix}/lib/libconcord_cpp.a"
        IMPORTED_LINK_INTERFACE_LANGUAGES CXX
        INTERFACE_COMPILE_FEATURES cxx_std_17
        INTERFACE_INCLUDE_DIRECTORIES "${_concord_prefix}/include"
        INTERFACE_LINK_LIBRARIES "@FLAGS_AS_LIST@")
    endif()
    set(Concord_cpp_FOUND TRUE)
  elseif(Concord_FIND_REQUIRED_${_concord_component})
    set(Concord_FOUND FALSE)
    set(Concord_NOT_FOUND_MESSAGE
        "Concord has no component ${_concord_component}; it has c and cpp")
  endif()
endforeach()
unset(_concord_component)
unset(_concord_prefix)
