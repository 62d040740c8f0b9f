edge_unit(base buffer catalogue clock cpuset histogram nearest option pool procfs subprocess units)
