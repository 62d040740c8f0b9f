#include "cmocka_headers.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/emulator.h"

static char folder[] = "/tmp/edge-emulator-XXXXXX"; // in front of PATH, for emulators made here

static const char *write_file(const char *name, const void *bytes, size_t len, char *path)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

// qemu-aarch64 that knows two models and, like one built without plugins, no -plugin.
static void write_emulator(void)
{
    static const char script[] =
        "#!/bin/sh\n"
        "case \"$*\" in\n"
        "--version) echo 'qemu-aarch64 version 0 (Fixture 1)'; echo more ;;\n"
        "'-cpu help') printf 'Available CPUs:\\n  cortex-a53\\n  cortex-a72\\n'; exit 1 ;;\n"
        "-plugin*) echo \"qemu: unknown option 'plugin'\" >&2; exit 1 ;;\n"
        "esac\n";
    char path[PATH_MAX];
    write_file("qemu-aarch64", script, strlen(script), path);
}

static int enter(void **state)
{
    (void)state;
    char path[8192];
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
    write_emulator();
    return setenv("PATH", path, 1);
}

static int leave(void **state)
{
    (void)state;
    char command[PATH_MAX];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command); // NOLINT(bugprone-command-processor): a folder of our own
}

static int init(struct edge_emulator *emulator, const char *name, const char *const *models,
                const char *plugin, struct edge_message *message)
{
    return edge_emulator_init(emulator, "fixture", name, models, plugin, message);
}

static void the_first_known_model_is_taken(void **state)
{
    (void)state;
    static const char *const models[] = {"cortex-a7", "cortex-a72", "cortex-a53", NULL};
    struct edge_emulator emulator;
    struct edge_message message = {""};
    assert_int_equal(init(&emulator, "qemu-aarch64", models, "/nowhere.so", &message), 0);
    assert_string_equal(emulator.cpu, "cortex-a72");
    assert_string_equal(emulator.version, "qemu-aarch64 version 0");
    assert_string_equal(emulator.arch, "aarch64");
    assert_string_equal(emulator.not_counted, "the plugin is not built: /nowhere.so");
    assert_string_equal(emulator.prefix[0], "qemu-aarch64");
    assert_string_equal(emulator.prefix[1], "-cpu");
    assert_string_equal(emulator.prefix[2], "cortex-a72");
    assert_null(emulator.prefix[3]);
    edge_emulator_free(&emulator);
    edge_emulator_free(&emulator);
}

static void an_emulator_without_plugins_still_works(void **state)
{
    (void)state;
    static const char *const models[] = {"cortex-a53", NULL};
    struct edge_emulator emulator;
    char plugin[PATH_MAX];
    write_file("a,b.so", "x", 1, plugin);
    assert_int_equal(init(&emulator, "qemu-aarch64", models, plugin, NULL), 0);
    assert_non_null(strstr(emulator.not_counted, "qemu: unknown option 'plugin'"));
    assert_non_null(strstr(emulator.plugin, "a,,b.so,counters=/proc/"));
    assert_null(emulator.prefix[3]);
    edge_emulator_free(&emulator);
}

static void a_model_that_is_not_there_is_named(void **state)
{
    (void)state;
    static const char *const models[] = {"cortex-a7", "cortex-a5", NULL}; // no prefix of another
    struct edge_emulator emulator;
    struct edge_message message;
    assert_int_equal(init(&emulator, "qemu-aarch64", models, "/nowhere.so", &message),
                     EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "cortex-a7 or cortex-a5"));
    assert_non_null(strstr(message.text, "qemu-aarch64 version 0"));
    edge_emulator_free(&emulator);
}

static void an_emulator_that_is_not_there_has_its_package_named(void **state)
{
    (void)state;
    static const char *const models[] = {"any", NULL};
    char path[PATH_MAX] = "";
    struct edge_emulator emulator;
    struct edge_message message;
    snprintf(path, sizeof(path), "%s", getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    int error = init(&emulator, "qemu-arm", models, "/nowhere.so", &message);
    setenv("PATH", path, 1);
    assert_int_equal(error, EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "qemu-user"));
    assert_int_equal(init(&emulator, "qemu-vax", models, "/nowhere.so", &message),
                     EDGE_ERR_UNSUPPORTED);
    edge_emulator_free(&emulator);
}

static int check(const char *arch, unsigned char class, unsigned char machine, size_t len,
                 struct edge_message *message)
{
    unsigned char head[20] = {ELFMAG0, ELFMAG1,     ELFMAG2,       ELFMAG3,
                              class,   ELFDATA2LSB, [18] = machine};
    char path[PATH_MAX];
    struct edge_emulator emulator = {.arch = arch};
    write_file("program", head, len, path);
    return edge_emulator_check(&emulator, path, message);
}

static void only_programs_of_its_machine_are_run(void **state)
{
    (void)state;
    struct edge_message message;
    assert_int_equal(check("aarch64", ELFCLASS64, EM_AARCH64, 20, &message), 0);
    assert_int_equal(check("arm", ELFCLASS32, EM_ARM, 20, &message), 0);
    assert_int_equal(check("aarch64", ELFCLASS64, EM_X86_64, 20, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "for aarch64, found one for x86_64"));
    assert_int_equal(check("arm", ELFCLASS64, EM_AARCH64, 20, &message), EDGE_ERR_UNSUPPORTED);
    assert_int_equal(check("arm", ELFCLASS32, EM_ARM, 19, &message), EDGE_ERR_UNSUPPORTED);
    assert_non_null(strstr(message.text, "expected an ELF program"));
    assert_int_equal(check("arm", ELFCLASS32, EM_ARM, 0, &message), EDGE_ERR_UNSUPPORTED);
    struct edge_emulator emulator = {.arch = "arm"};
    assert_true(edge_emulator_check(&emulator, "/nowhere/server", &message) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_known_model_is_taken),
        cmocka_unit_test(an_emulator_without_plugins_still_works),
        cmocka_unit_test(a_model_that_is_not_there_is_named),
        cmocka_unit_test(an_emulator_that_is_not_there_has_its_package_named),
        cmocka_unit_test(only_programs_of_its_machine_are_run),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
