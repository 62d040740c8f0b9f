// cmocka wants these four before itself.
#ifndef EDGE_TESTS_CMOCKA_HEADERS_H
#define EDGE_TESTS_CMOCKA_HEADERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
