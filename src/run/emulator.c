#include "run/emulator.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/probe_guest.h"
#include "run/ask.h"

// Machines by the ELF header of their programs; "qemu-" and the name is the emulator.
static const struct arch {
    const char *name;
    unsigned char class;
    unsigned short machine;
} archs[] = {
    {"arm", ELFCLASS32, EM_ARM},
    {"aarch64", ELFCLASS64, EM_AARCH64},
    {"riscv64", ELFCLASS64, EM_RISCV},
    {"x86_64", ELFCLASS64, EM_X86_64},
};

#define ARCHS (sizeof(archs) / sizeof(archs[0]))

static const struct arch *find_arch(const char *name)
{
    for (size_t i = 0; i < ARCHS; i++)
        if (strcmp(archs[i].name, name) == 0)
            return &archs[i];
    return NULL;
}

int edge_emulator_check(const struct edge_emulator *emulator, const char *path,
                        struct edge_message *message)
{
    const struct arch *arch = find_arch(emulator->arch);
    unsigned char head[20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
    int error = got < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    if (error)
        return edge_fail(message, error, "cannot read %s: %s", path, edge_error_text(error));
    if (got < (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "expected an ELF program for %s, found another kind of file: %s",
                         emulator->arch, path);
    // e_machine, in the byte order of all that is known here.
    unsigned machine = head[18] + 256u * head[19];
    if (head[EI_CLASS] == arch->class && head[EI_DATA] == ELFDATA2LSB && machine == arch->machine)
        return 0;
    const char *found = "another machine";
    for (size_t i = 0; i < ARCHS; i++)
        if (archs[i].class == head[EI_CLASS] && archs[i].machine == machine)
            found = archs[i].name;
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "expected a program for %s, found one for %s: %s", emulator->arch, found,
                     path);
}

// A whole line, but for blanks around it, of what `-cpu help` printed.
static bool is_listed(const char *list, const char *model)
{
    size_t len = strlen(model);
    for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word = line + strspn(line, " \t");
        if (strncmp(word, model, len) == 0 && strchr(" \t\r\n", word[len]))
            return true;
    }
    return false;
}

static int choose_cpu(struct edge_emulator *emulator, const char *board, const char *const *models,
                      struct edge_message *message)
{
    const char *argv[] = {emulator->program, "--version", NULL};
    char list[8192];
    int error = edge_ask(argv, true, list, sizeof(list), NULL, 0, message);
    if (error == -ENOENT)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "%s is not installed: it runs %s's programs (Debian package qemu-user)",
                         emulator->program, board);
    if (error)
        return error;
    size_t len = strcspn(list, "(\n"); // the distribution's part is left out
    while (len > 0 && list[len - 1] == ' ')
        len--;
    snprintf(emulator->version, sizeof(emulator->version), "%.*s", (int)len, list);
    const char *help[] = {emulator->program, "-cpu", "help", NULL};
    error = edge_ask(help, false, list, sizeof(list), NULL, 0, message);
    if (error)
        return error;
    char wanted[160] = "";
    for (size_t i = 0; models[i]; i++) {
        if (is_listed(list, models[i])) {
            snprintf(emulator->cpu, sizeof(emulator->cpu), "%s", models[i]);
            return 0;
        }
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof(wanted) - used, "%s%s", i ? " or " : "", models[i]);
    }
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "%s needs the CPU model %s, which this qemu lacks (%s): a newer qemu-user may "
                     "have it, %s -cpu help lists all",
                     board, wanted, emulator->version, emulator->program);
}

#define REFUSE(emulator, ...)                                                                      \
    snprintf((emulator)->not_counted, sizeof((emulator)->not_counted), __VA_ARGS__)

// In qemu's options a comma ends a value; two are one.
static int plugin_option(struct edge_emulator *emulator, const char *path)
{
    size_t len = 0;
    for (const char *at = path; *at; at++) {
        if (len + strlen(",counters=") + sizeof(emulator->counters) + 2 > sizeof(emulator->plugin))
            return -ENAMETOOLONG;
        emulator->plugin[len++] = *at;
        if (*at == ',')
            emulator->plugin[len++] = ',';
    }
    snprintf(emulator->plugin + len, sizeof(emulator->plugin) - len, ",counters=%s",
             emulator->counters);
    return 0;
}

// The last line of what the emulator said is why it gave up.
static const char *last_line(char *text)
{
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n')
        text[--len] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

// Lets the emulator load the plugin, with a program that does not exist: if the plugin was loaded
// and could make sense of this qemu, it has taken up the file of counters by then.
static void try_plugin(struct edge_emulator *emulator, const char *path)
{
    if (access(path, R_OK) != 0) {
        REFUSE(emulator, "the plugin is not built: %.200s", path);
        return;
    }
    emulator->counters_fd = memfd_create("bench-edge-guest-counters", MFD_CLOEXEC);
    snprintf(emulator->counters, sizeof(emulator->counters), "/proc/%d/fd/%d", (int)getpid(),
             emulator->counters_fd);
    struct edge_message message;
    struct edge_probe_guest guest = {.counters = NULL};
    int error = emulator->counters_fd < 0 ? -errno : plugin_option(emulator, path);
    if (!error)
        error = edge_probe_guest_init(&guest, emulator->counters, &message);
    if (error) {
        REFUSE(emulator, "no file of counters: %s", edge_error_text(error));
        return;
    }
    char out[4096], err[4096];
    const char *argv[] = {emulator->program, "-plugin", emulator->plugin, "/dev/null", NULL};
    struct edge_agent_sample sample;
    edge_agent_sample_init(&sample);
    error = edge_ask(argv, false, out, sizeof(out), err, sizeof(err), &message);
    if (error)
        REFUSE(emulator, "%.200s", message.text);
    else if (edge_probe_guest_sample(&guest, &sample) != 0)
        REFUSE(emulator, "%s does not take the plugin: %.160s", emulator->program,
               err[0] ? last_line(err) : "it says nothing");
    edge_probe_guest_free(&guest);
}

int edge_emulator_init(struct edge_emulator *emulator, const char *board, const char *name,
                       const char *const *models, const char *plugin, struct edge_message *message)
{
    *emulator = (struct edge_emulator){.counters_fd = -1};
    const char *dash = strchr(name, '-');
    const struct arch *arch = dash ? find_arch(dash + 1) : NULL;
    if (!arch)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED, "%s: no emulator \"%s\" is known here",
                         board, name);
    emulator->arch = arch->name;
    snprintf(emulator->program, sizeof(emulator->program), "%s", name);
    int error = choose_cpu(emulator, board, models, message);
    if (error)
        return error;
    try_plugin(emulator, plugin);
    size_t count = 0;
    emulator->prefix[count++] = emulator->program;
    emulator->prefix[count++] = "-cpu";
    emulator->prefix[count++] = emulator->cpu;
    if (!emulator->not_counted[0]) {
        emulator->prefix[count++] = "-plugin";
        emulator->prefix[count] = emulator->plugin;
    }
    return 0;
}

void edge_emulator_free(struct edge_emulator *emulator)
{
    if (emulator->prefix[0] && emulator->counters_fd >= 0)
        close(emulator->counters_fd);
    *emulator = (struct edge_emulator){.counters_fd = -1};
}
