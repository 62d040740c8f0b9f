edge_unit(base buffer clock cpuset histogram option pool subprocess units)
