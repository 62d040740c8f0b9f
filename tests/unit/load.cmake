edge_unit(load books command data explain framed judge metadata pacer patch payload reflect reply
          request schedule summary type verify)
edge_unit(load load LIBRARIES edge_null)
