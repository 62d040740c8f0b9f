// A tree of files that a test writes for itself.
#ifndef EDGE_TEST_AGENT_TREE_H
#define EDGE_TEST_AGENT_TREE_H

// Group set-up and tear-down of cmocka: each test begins with an empty tree.
int tree_set_up(void **state);
int tree_tear_down(void **state);

// Its root.
const char *tree_root(void);
// Writes a file, with the folders above it.
void tree_write(const char *path, const char *text);

#endif
