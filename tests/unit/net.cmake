edge_unit(net connection loop socket)
if(EDGE_TLS)
  edge_unit(net tls)
endif()
