edge_unit(base buffer clock cpuset histogram nearest option pool subprocess units)
