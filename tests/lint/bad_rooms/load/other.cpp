// A library that has one border only.
#include <google/protobuf/message.h>
