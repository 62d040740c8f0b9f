// Option tables: one row per option drives the command line, the environment, --help,
// --show-config, the record of effective options and docs/options.md.
//
// A program describes a plain struct with a table of rows and fills it in steps, weakest first:
// edge_options_defaults(), edge_options_env(), edge_options_text() if it reads files, and
// edge_options_argv().
#ifndef EDGE_BASE_OPTION_H
#define EDGE_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

enum edge_option_type {
    EDGE_OPTION_BOOL,     // bool; takes no value on the command line
    EDGE_OPTION_COUNT,    // uint64_t; "10k" is 10000
    EDGE_OPTION_BYTES,    // uint64_t; "512m"
    EDGE_OPTION_DURATION, // uint64_t nanoseconds; "20s"
    EDGE_OPTION_STRING,   // const char *, borrowed from argv or the environment
    EDGE_OPTION_CHOICE,   // unsigned, an index into `choices`
    EDGE_OPTION_LIST,     // struct edge_option_list; may be given several times
};

#define EDGE_OPTION_LIST_MAX 32u

// The values of an option that may be given several times, borrowed as strings are.
struct edge_option_list {
    const char *at[EDGE_OPTION_LIST_MAX];
    unsigned count;
};

struct edge_option {
    const char *name; // long name, without dashes
    char letter;      // short name, or 0
    enum edge_option_type type;
    size_t offset;
    const char *argument; // what the value is called in --help: "N", "DURATION"; NULL for a bool
    const char *fallback; // the default as a person would type it; NULL: none (string: NULL)
    const char *env;      // environment variable, or NULL
    uint64_t min, max;    // for numbers; max 0: no bound
    const char *const *choices; // for a choice, ends with NULL
    const char *help;           // one sentence; --help wraps it
};

// The offset of `field` in `type`, an error at compile time if its C type is not `want`.
// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define EDGE_OPTION_FIELD(type, field, want)                                                       \
    (offsetof(type, field) + 0 * sizeof(_Generic(&((type *)0)->field, want * : 1)))
// NOLINTEND(bugprone-macro-parentheses)

// Row beginnings: EDGE_OPT_COUNT(struct config, connections), .name = "connections", ...
#define EDGE_OPT_BOOL(s, f)  .type = EDGE_OPTION_BOOL, .offset = EDGE_OPTION_FIELD(s, f, bool)
#define EDGE_OPT_COUNT(s, f) .type = EDGE_OPTION_COUNT, .offset = EDGE_OPTION_FIELD(s, f, uint64_t)
#define EDGE_OPT_BYTES(s, f) .type = EDGE_OPTION_BYTES, .offset = EDGE_OPTION_FIELD(s, f, uint64_t)
#define EDGE_OPT_DURATION(s, f)                                                                    \
    .type = EDGE_OPTION_DURATION, .offset = EDGE_OPTION_FIELD(s, f, uint64_t)
#define EDGE_OPT_STRING(s, f)                                                                      \
    .type = EDGE_OPTION_STRING, .offset = EDGE_OPTION_FIELD(s, f, const char *)
#define EDGE_OPT_CHOICE(s, f)                                                                      \
    .type = EDGE_OPTION_CHOICE, .offset = EDGE_OPTION_FIELD(s, f, unsigned)
#define EDGE_OPT_LIST(s, f)                                                                        \
    .type = EDGE_OPTION_LIST, .offset = EDGE_OPTION_FIELD(s, f, struct edge_option_list)

// A command: its rows (ending with a row whose name is NULL) and the words around them in --help.
struct edge_command {
    const char *name;     // "bench-edge run"
    const char *operands; // "[SERVER...]", or "" if it takes none
    const char *summary;  // one sentence
    const char *epilog;   // examples and notes after the options, or NULL
    const struct edge_option *options;
};

enum edge_argv_result {
    EDGE_ARGV_GO = 0,      // go on
    EDGE_ARGV_HELP = 1,    // --help was given: print edge_options_help() and exit 0
    EDGE_ARGV_VERSION = 2, // --version was given
    EDGE_ARGV_SHOW = 3,    // --show-config was given: print edge_options_show() and exit 0
};

// --help, -h, --version and --show-config are known to every command without a row.

// Fills `config` with each row's default. A default that does not parse is a programming error and
// aborts; a unit test calls this for every table.
void edge_options_defaults(const struct edge_command *command, void *config);

// Takes the environment variables that are set and not empty.
// 0, or EDGE_ERR_USAGE with a message that names the variable.
int edge_options_env(const struct edge_command *command, void *config,
                     struct edge_message *message);

// Takes the lines "name = value" of a file that has been read into `text`, which is cut up and must
// live as long as `config`. Names are those of the table; an empty value is the default of a
// string; a list may have several lines; empty lines and such that begin with # are skipped. `file`
// stands in messages. 0, or EDGE_ERR_USAGE with a message that names file and line.
int edge_options_text(const struct edge_command *command, void *config, char *text,
                      const char *file, struct edge_message *message);

// All of it: defaults, environment, the file that the command line names, the command line. *file
// is the field of `config` that holds the file's name, or NULL; the file's strings live in `text`,
// which is empty at first and the caller's to free. Results and errors as edge_options_argv().
int edge_options_all(const struct edge_command *command, void *config, const char *const *file,
                     int argc, char **argv, int *operands, struct edge_buffer *text,
                     struct edge_message *message);

// Takes argv[1] ... argv[argc - 1]: "--name value", "--name=value", "-n value", "-nvalue"; "--"
// ends options. Operands are moved to the front of argv and counted in *operands (argv[0] is then
// the first operand). A bool also takes "--no-name".
// Returns enum edge_argv_result, or EDGE_ERR_USAGE with a message that names the option, says what
// is expected and, for an unknown name, the nearest known one.
int edge_options_argv(const struct edge_command *command, void *config, int argc, char **argv,
                      int *operands, struct edge_message *message);

// Sets one row's field from `text`. `label` names the source in messages: "--rps", "GRPC_...".
// 0, or EDGE_ERR_USAGE with a message.
int edge_option_set(const struct edge_option *option, void *config, const char *label,
                    const char *text, struct edge_message *message);

// The value of one row as a person would type it ("20s", "true", ""). Returns text.
const char *edge_option_text(const struct edge_option *option, const void *config, char *text,
                             size_t size);

// Printers: the help page, "name = value" lines as edge_options_text() takes them, a section of
// docs/options.md.
void edge_options_help(const struct edge_command *command, FILE *out);
void edge_options_show(const struct edge_command *command, const void *config, FILE *out);
void edge_options_markdown(const struct edge_command *command, FILE *out);

#endif
