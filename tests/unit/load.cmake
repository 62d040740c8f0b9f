edge_unit(load books command data explain framed goals judge metadata pacer patch payload reflect reply
          request schedule search shape summary type verify write)
edge_unit(load load LIBRARIES edge_null)
