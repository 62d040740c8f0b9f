# Writes OUT, a C file with the bytes of each DIR/<name>.json for the list NAMES.
set(table "")
set(text "#include \"load/payload_scenarios.h\"\n\n")
foreach(name ${NAMES})
  file(READ ${DIR}/${name}.json hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(....................................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}[] = {\n${bytes}\n};\n\n")
  string(APPEND table "    {\"${name}\", (const char *)${name}, sizeof(${name})},\n")
endforeach()
string(APPEND text "const struct edge_payload_scenario "
                   "edge_payload_scenario_table[EDGE_PAYLOAD_SCENARIOS] = {\n${table}};\n")
file(WRITE ${OUT} "${text}")
