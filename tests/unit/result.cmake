edge_unit(result reader record rules statistics writer)
