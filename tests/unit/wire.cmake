edge_unit(wire client frame hpack)
