# Writes OUTPUT, a C file with the bytes of INPUT, for server/descriptors.h.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"server/descriptors.h\"\n\n\
const uint8_t edge_descriptor_set[] = {${bytes}};\n\
const size_t edge_descriptor_set_len = sizeof(edge_descriptor_set);\n")
