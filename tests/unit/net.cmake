edge_unit(net connection loop socket)
