edge_unit(null null)
