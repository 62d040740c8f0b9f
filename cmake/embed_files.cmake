# Writes OUT, a C file that includes HEADER and defines edge_<NAME> and edge_<NAME>_size for each
# pair NAME=FILE of the list FILES: the bytes of the file.
set(text "#include \"${HEADER}\"\n")
foreach(pair ${FILES})
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${pair}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  # Lines of 20 bytes: compilers and people have limits.
  string(REPEAT "." 100 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(APPEND text "\nconst unsigned char edge_${name}[] = {\n${bytes}\n};\n"
                     "const size_t edge_${name}_size = sizeof(edge_${name});\n")
endforeach()
file(WRITE ${OUT} "${text}")
