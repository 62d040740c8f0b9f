# The target mbedtls, with what its headers have as definitions: 2.28 and 3.6 differ in some calls.
edge_library(mbedcrypto mbedtls/ssl.h mbedcrypto libmbedtls-dev)
edge_library(mbedx509 mbedtls/ssl.h mbedx509 libmbedtls-dev)
edge_library(mbedtls mbedtls/ssl.h mbedtls libmbedtls-dev)
set_target_properties(mbedtls PROPERTIES INTERFACE_LINK_LIBRARIES "mbedx509;mbedcrypto")

include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES ${mbedtls_INCLUDE})
set(CMAKE_REQUIRED_FLAGS -Werror=implicit-function-declaration)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing is linked

# edge_mbedtls_has(<definition> <header> <statement that compiles where it is so>)
function(edge_mbedtls_has definition header statement)
  check_c_source_compiles("#include <mbedtls/${header}.h>
int f(void); int f(void) { ${statement}; return 0; }" ${definition})
  if(${definition})
    set_property(TARGET mbedtls APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS ${definition})
  endif()
endfunction()
edge_mbedtls_has(EDGE_MBEDTLS_KEY_RANDOM pk "mbedtls_pk_parse_keyfile(0, 0, 0, 0, 0)")
edge_mbedtls_has(EDGE_MBEDTLS_GROUPS ssl "mbedtls_ssl_conf_groups(0, 0)")
edge_mbedtls_has(EDGE_MBEDTLS_TLS_VERSION ssl
                 "mbedtls_ssl_conf_min_tls_version(0, MBEDTLS_SSL_VERSION_TLS1_2)")
edge_mbedtls_has(EDGE_MBEDTLS_TICKET_SIGNAL ssl
                 "mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(0, 1)")
edge_mbedtls_has(EDGE_MBEDTLS_SERIAL_RAW x509_crt "mbedtls_x509write_crt_set_serial_raw(0, 0, 0)")
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_INCLUDES)
