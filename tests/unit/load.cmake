edge_unit(load books command explain framed goals judge pacer payload request schedule search shape
          summary verify write)
edge_unit(load load LIBRARIES edge_null)
