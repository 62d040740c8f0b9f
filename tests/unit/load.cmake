edge_unit(load books command explain framed judge pacer payload request schedule shape summary
          verify)
edge_unit(load load LIBRARIES edge_null)
