// Boards are what they are, not what they are called.
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/recognise.h"

static struct edge_recognised recognise(const struct edge_recognise_facts *facts)
{
    struct edge_recognised result;
    edge_recognise(facts, &result);
    return result;
}

#define BOARD(result) ((result).board ? (result).board->id : "none")
#define BUILD(result) ((result).build ? (result).build->id : "none")

static void recorded_trees(void **state)
{
    (void)state;
    static const struct {
        const char *tree, *board, *build, *why;
    } trees[] = {
        {"pi-zero-w", "rpizero", "rpizero", "device tree: raspberrypi,model-zero-w"},
        {"pi-4", "rpi4", "rpi4", "device tree: raspberrypi,4-model-b"},
        {"pi-4-throttled", "rpi4", "rpi4", "device tree: raspberrypi,4-model-b"},
        {"pi-5", "rpi5", "rpi5", "device tree: raspberrypi,5-model-b"},
        {"ina219-wrong-shunt", "rpi4", "rpi4", "device tree: raspberrypi,4-model-b"},
        {"jetson-nano", "jetson-nano", "jetson-nano", "device tree: nvidia,p3450-0000"},
        {"jetson-orin-nano", "jetson-orin-nano", "jetson-orin-nano",
         "device tree: nvidia,p3768-0000+p3767-0005"},
        {"ucsi-only", "orangepi5", "orangepi5", "device tree: xunlong,orangepi-5"},
        {"n100", "none", "none", "it has no device tree"},
    };
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        char root[256];
        struct edge_recognise_facts facts;
        snprintf(root, sizeof root, EDGE_DATA_DIR "/boards/%s", trees[i].tree);
        edge_recognise_read(root, &facts);
        struct edge_recognised result = recognise(&facts);
        assert_string_equal(BOARD(result), trees[i].board);
        assert_string_equal(BUILD(result), trees[i].build);
        assert_string_equal(result.why, trees[i].why);
    }
}

static void every_board_of_the_catalogue(void **state)
{
    (void)state;
    size_t count;
    const struct edge_catalogue_board *boards = edge_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        static const char *const machines[] = {"armv7l", "aarch64", "riscv64"};
        struct edge_recognise_facts facts = {.revision = 0};
        snprintf(facts.compatible, sizeof facts.compatible, "%s\nsome,soc",
                 boards[i].compatible[0]);
        snprintf(facts.machine, sizeof facts.machine, "%s",
                 machines[boards[i].bits == 32              ? 0
                          : strcmp(boards[i].isa, "RV64GC") ? 1
                                                            : 2]);
        if (strcmp(boards[i].isa, "ARMv7-A") == 0) // else the cores might lack what its code needs
            facts.cores[facts.core_kinds++] = (struct edge_recognise_core){
                0x41, strstr(boards[i].cpu_flags, "a8") ? 0xc08 : 0xc07};
        if (strcmp(boards[i].isa, "ARMv8.2-A") == 0) {
            facts.cores[facts.core_kinds++] =
                (struct edge_recognise_core){0x41, strstr(boards[i].cpu_flags, "a78ae") ? 0xd42
                                                   : strstr(boards[i].cpu_flags, "a76") ? 0xd0b
                                                                                        : 0xd05};
        }
        struct edge_recognised result = recognise(&facts);
        assert_ptr_equal(result.board, &boards[i]);
        assert_ptr_equal(result.build, &boards[i]);
        assert_string_equal(result.build_why, "");
    }
}

static void revision_codes(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        const char *board;
    } codes[] = {
        {0x9000c1, "rpizero"},  {0x900092, "rpizero"}, {0xa01041, "rpi2"}, {0xa02082, "rpi3"},
        {0xa020d3, "rpi3plus"}, {0xc03114, "rpi4"},    {0xb03140, "cm4"},  {0x902120, "rpizero2"},
        {0xd04170, "rpi5"},     {0xa02042, "none"}, // a Raspberry Pi 2 of revision 1.2
        {0xc03130, "none"},                         // a Raspberry Pi 400
        {0x0010, "none"},                           // before codes had fields
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct edge_recognise_facts facts = {.revision = codes[i].code};
        assert_string_equal(BOARD(recognise(&facts)), codes[i].board);
    }
}

static void models(void **state)
{
    (void)state;
    static const struct {
        const char *model, *board;
    } models[] = {
        {"Raspberry Pi 4 Model B Rev 1.4", "rpi4"},
        {"Raspberry Pi 3 Model B Plus Rev 1.3", "none"}, // not the 3B
        {"NVIDIA Jetson Nano Developer Kit", "jetson-nano"},
        {"Orange Pi 5", "orangepi5"},
        {"Orange Pi 5 Plus", "none"}, // RK3588, not RK3588S
        {"Toaster", "none"},
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct edge_recognise_facts facts = {.revision = 0};
        snprintf(facts.model, sizeof facts.model, "%s", models[i].model);
        struct edge_recognised result = recognise(&facts);
        assert_string_equal(BOARD(result), models[i].board);
        assert_non_null(strstr(result.why, models[i].model));
    }
}

// The same name, type and device tree as a Cortex-A7; only the code and the cores tell.
static void a_pi_2_of_revision_1_2(void **state)
{
    (void)state;
    struct edge_recognise_facts facts = {.compatible = "raspberrypi,2-model-b\nbrcm,bcm2837",
                                         .model = "Raspberry Pi 2 Model B Rev 1.2",
                                         .machine = "aarch64",
                                         .revision = 0xa02042};
    struct edge_recognised result = recognise(&facts);
    assert_string_equal(BOARD(result), "none");
    assert_non_null(strstr(result.why, "a02042"));
    assert_string_equal(result.build->toolchain, "aarch64-linux-gnu");
    assert_string_equal(result.build->isa, "ARMv8-A");

    facts.revision = 0;
    facts.cores[facts.core_kinds++] = (struct edge_recognise_core){0x41, 0xd03};
    result = recognise(&facts);
    assert_string_equal(BOARD(result), "none");
    assert_non_null(strstr(result.why, "cortex-a53"));
    assert_string_equal(result.build->cpu_flags, "-mcpu=cortex-a53");

    facts.core_kinds = 0;
    result = recognise(&facts);
    assert_string_equal(BOARD(result), "none");
    assert_non_null(strstr(result.why, "64 bits"));

    snprintf(facts.machine, sizeof facts.machine, "armv7l");
    facts.cores[facts.core_kinds++] = (struct edge_recognise_core){0x41, 0xd03};
    result = recognise(&facts);
    assert_string_equal(BOARD(result), "none");
    assert_string_equal(result.build->isa, "ARMv7-A");
    assert_string_equal(result.build->cpu_flags, "-mcpu=cortex-a7");
}

static void a_kernel_of_32_bits(void **state)
{
    (void)state;
    struct edge_recognise_facts facts = {.compatible = "raspberrypi,4-model-b\nbrcm,bcm2711",
                                         .machine = "armv7l",
                                         .revision = 0xc03114,
                                         .cores = {{0x41, 0xd08}},
                                         .core_kinds = 1};
    struct edge_recognised result = recognise(&facts);
    assert_string_equal(BOARD(result), "rpi4");
    assert_string_equal(result.build->isa, "ARMv7-A");
    assert_non_null(strstr(result.build_why, "armv7l"));
    // A 64-bit kernel runs the board's own, whatever its userland is made of.
    snprintf(facts.machine, sizeof facts.machine, "aarch64");
    result = recognise(&facts);
    assert_string_equal(BUILD(result), "rpi4");
    assert_string_equal(result.build_why, "");
}

static void boards_nobody_described(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        struct edge_recognise_core cores[2];
        const char *isa, *flags;
    } boards[] = {
        {"aarch64", {{0x41, 0xd0b}, {0x41, 0xd05}}, "ARMv8.2-A", "-mcpu=cortex-a76.cortex-a55"},
        {"aarch64", {{0x41, 0xd08}}, "ARMv8-A", "-mcpu=cortex-a72"},
        {"aarch64", {{0x41, 0xd04}}, "ARMv8-A", NULL}, // Cortex-A35
        {"aarch64", {{0x51, 0xd0b}}, "ARMv8-A", NULL}, // not Arm's 0xd0b
        {"aarch64", {{0, 0}}, "ARMv8-A", NULL},
        {"armv7l", {{0x41, 0xc09}}, "ARMv6KZ", NULL}, // Cortex-A9 without NEON exists
        {"armv7l", {{0x41, 0xc08}}, "ARMv7-A", "-mcpu=cortex-a8"},
        {"armv7l", {{0x41, 0xc0f}}, "ARMv7-A", "-mcpu=cortex-a7"},
        {"armv7l", {{0x56, 0x581}}, "ARMv6KZ", NULL},
        {"armv7l", {{0, 0}}, "ARMv6KZ", NULL},
        {"armv6l", {{0x41, 0xb76}}, "ARMv6KZ", NULL},
        {"armv5tejl", {{0x41, 0x926}}, NULL, NULL},
        {"riscv64", {{0, 0}}, "RV64GC", NULL},
        {"x86_64", {{0, 0}}, NULL, NULL},
        {"", {{0, 0}}, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct edge_recognise_facts facts = {.revision = 0};
        snprintf(facts.machine, sizeof facts.machine, "%s", boards[i].machine);
        for (unsigned kind = 0; kind < 2 && boards[i].cores[kind].part; kind++)
            facts.cores[facts.core_kinds++] = boards[i].cores[kind];
        struct edge_recognised result = recognise(&facts);
        assert_null(result.board);
        assert_string_not_equal(result.build_why, "");
        if (!boards[i].isa) {
            assert_null(result.build);
            continue;
        }
        assert_non_null(result.build);
        assert_string_equal(result.build->isa, boards[i].isa);
        if (boards[i].flags)
            assert_string_equal(result.build->cpu_flags, boards[i].flags);
    }
}

static void cpuinfo(void **state)
{
    (void)state;
    struct edge_recognise_facts facts = {.revision = 0};
    edge_recognise_cpuinfo(&facts, "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                                   "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                                   "processor\t: 2\nCPU implementer\t: 0x51\nCPU part\t: 0xd0b\n\n"
                                   "Hardware\t: BCM2835\nRevision\t: c03114\nSerial\t: 1\n");
    assert_int_equal(facts.core_kinds, 2);
    assert_int_equal(facts.cores[0].part, 0xd05);
    assert_int_equal(facts.cores[1].implementer, 0x51);
    assert_int_equal(facts.revision, 0xc03114);
    edge_recognise_cpuinfo(&facts, "");
    edge_recognise_cpuinfo(&facts, "Revision without a colon\nCPU part");
    assert_int_equal(facts.core_kinds, 2);
    for (unsigned part = 1; part < 20; part++) {
        char text[64];
        snprintf(text, sizeof text, "CPU part\t: 0x%x\n", part);
        edge_recognise_cpuinfo(&facts, text);
    }
    assert_int_equal(facts.core_kinds, EDGE_RECOGNISE_CORES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_trees),          cmocka_unit_test(every_board_of_the_catalogue),
        cmocka_unit_test(revision_codes),          cmocka_unit_test(models),
        cmocka_unit_test(a_pi_2_of_revision_1_2),  cmocka_unit_test(a_kernel_of_32_bits),
        cmocka_unit_test(boards_nobody_described), cmocka_unit_test(cpuinfo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
