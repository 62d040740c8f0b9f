#include "run/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define CONNECT_NS (60 * EDGE_NS_PER_S) // in all; TCP alone: ConnectTimeout below
#define TICK_NS    (20 * EDGE_NS_PER_MS)
#define GRACE_NS   EDGE_NS_PER_S
#define LOST_NS    EDGE_NS_PER_S // between the end of a command and that of the connection

// --- Names ---

static bool is_plain(const char *text)
{
    if (*text == '-' || *text == '\0') // ssh would take it for an option
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text == 0x7f || strchr("'\"\\`$;&|<>(){}!*?", *text))
            return false;
    return true;
}

static bool take(char *into, size_t size, const char *from, size_t len)
{
    if (len >= size)
        return false;
    memcpy(into, from, len);
    into[len] = '\0';
    return is_plain(into);
}

static bool take_port(struct edge_ssh_name *name, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 6 && text[digits] == '\0' && atoi(text) > 0 &&
           atoi(text) < 65536 && take(name->port, sizeof(name->port), text, digits);
}

static bool parse(const char *text, struct edge_ssh_name *name)
{
    char rest[400];
    size_t len = strlen(text);
    if (len >= sizeof(rest))
        return false;
    memcpy(rest, text, len + 1);
    if (len > 0 && rest[len - 1] == '/')
        rest[len - 1] = '\0';
    char *host = rest, *at = strrchr(rest, '@'), *port = NULL;
    if (at) {
        if (!take(name->user, sizeof(name->user), rest, (size_t)(at - rest)))
            return false;
        host = at + 1;
    }
    if (*host == '[') {
        char *end = strchr(host, ']');
        if (!end || (end[1] != '\0' && end[1] != ':'))
            return false;
        port = end[1] == ':' ? end + 2 : NULL;
        host++;
        *end = '\0';
    } else if ((port = strchr(host, ':'))) {
        if (strchr(port + 1, ':'))
            return false; // an IPv6 address without brackets
        *port++ = '\0';
    }
    return take(name->host, sizeof(name->host), host, strlen(host)) && !strchr(name->host, '/') &&
           (!port || take_port(name, port));
}

int edge_ssh_parse(const char *target, struct edge_ssh_name *name, struct edge_message *message)
{
    static const char scheme[] = "ssh://";
    *name = (struct edge_ssh_name){.host = ""};
    if (strncmp(target, scheme, strlen(scheme)) == 0 && parse(target + strlen(scheme), name))
        return 0;
    return edge_fail(message, EDGE_ERR_USAGE,
                     "--target: expected ssh://[user@]host[:port], an IPv6 address in brackets, "
                     "found \"%.128s\"",
                     target);
}

// --- What ssh says ---

#define WORDS 2048

// The end of a file of messages; nothing but newlines between its lines.
static void last_words(int fd, char *text, size_t size)
{
    struct stat status;
    off_t from = fstat(fd, &status) == 0 && status.st_size > (off_t)size - 1
                     ? status.st_size - (off_t)size + 1
                     : 0;
    ssize_t got = pread(fd, text, size - 1, from);
    size_t len = 0;
    for (ssize_t i = 0; i < got; i++)
        if (text[i] == '\n' && len > 0 && text[len - 1] != '\n')
            text[len++] = '\n';
        else if ((unsigned char)text[i] >= ' ')
            text[len++] = text[i];
    if (len > 0 && text[len - 1] == '\n')
        len--;
    text[len] = '\0';
}

// The reason comes last.
static const char *last_line(const char *words)
{
    const char *newline = strrchr(words, '\n');
    return newline ? newline + 1 : words;
}

// What a person can do about it, by the words of OpenSSH's messages.
static const char *advice(const char *words)
{
    static const struct {
        const char *words, *advice;
    } known[] = {
        {"IDENTIFICATION HAS CHANGED",
         "; its key is not the one of known_hosts: if the board was set up anew, remove that one "
         "with ssh-keygen -R and connect once with ssh"},
        {"Host key verification failed",
         "; the board's key is not known, or another one: connect once with ssh and look at it"},
        {"Permission denied",
         "; no password is asked for here: ssh-copy-id gives the board your key"},
        {"Could not resolve", "; give its address, or a Host of ~/.ssh/config"},
        {"Connection refused", "; is an ssh server running there?"},
        {"timed out", "; is it switched on, and is this its address?"},
        {"No route to host", "; is it switched on, and is this its address?"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(words, known[i].words))
            return known[i].advice;
    return "";
}

// --- The connection ---

// Options of every ssh here. Nothing of the user's configuration but how to get there.
static unsigned common(const struct edge_ssh *ssh, const char **argv)
{
    static const char *const options[] = {"ssh", "-T",
                                          "-a",  "-x",
                                          "-o",  "BatchMode=yes",
                                          "-o",  "ClearAllForwardings=yes",
                                          "-o",  "RemoteCommand=none",
                                          "-o",  "PermitLocalCommand=no",
                                          "-S"};
    unsigned count = 0;
    for (; count < sizeof(options) / sizeof(options[0]); count++)
        argv[count] = options[count];
    argv[count++] = ssh->control;
    if (ssh->name.user[0]) {
        argv[count++] = "-l";
        argv[count++] = ssh->name.user;
    }
    if (ssh->name.port[0]) {
        argv[count++] = "-p";
        argv[count++] = ssh->name.port;
    }
    return count;
}

static unsigned add(const char **argv, unsigned count, const char *const *more)
{
    for (; *more; more++)
        argv[count++] = *more;
    return count;
}

void edge_ssh_argv(const struct edge_ssh *ssh, const char *command, const char *argv[EDGE_SSH_ARGS])
{
    // Without the shared connection ssh would make one of its own: the proxy stops it.
    static const char *const shared[] = {"-o", "ControlMaster=no", "-o", "ProxyCommand=false",
                                         "-o", "LogLevel=ERROR",   "--", NULL};
    unsigned count = add(argv, common(ssh, argv), shared);
    argv[count++] = ssh->name.host;
    argv[count++] = command;
    argv[count] = NULL;
}

static int start_master(struct edge_ssh *ssh, struct edge_message *message)
{
    // A link that is dead is noticed after three times two seconds; at INFO ssh says so.
    static const char *const master[] = {"-M", "-N",
                                         "-o", "LogLevel=INFO",
                                         "-o", "ControlPersist=no",
                                         "-o", "ConnectTimeout=10",
                                         "-o", "ServerAliveInterval=2",
                                         "-o", "ServerAliveCountMax=3",
                                         "--", NULL};
    const char *argv[EDGE_SSH_ARGS];
    unsigned count = add(argv, common(ssh, argv), master);
    argv[count++] = ssh->name.host;
    argv[count] = NULL;
    struct edge_subprocess_config config = {
        .argv = argv, .stderr_fd = ssh->words_fd, .own_group = true, .die_with_parent = true};
    int error = edge_subprocess_spawn(&config, &ssh->master, message);
    if (error == -ENOENT)
        return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                         "there is no ssh on this machine: install openssh-client");
    return error;
}

static bool is_interrupted(const struct edge_ssh *ssh)
{
    return ssh->interrupt && edge_interrupt_poll(ssh->interrupt);
}

static int interrupted(struct edge_message *message)
{
    return edge_fail(message, -EINTR, "interrupted");
}

// The socket is there once the board has let us in.
static int wait_connected(struct edge_ssh *ssh, struct edge_message *message)
{
    uint64_t until_ns = edge_clock_ns() + CONNECT_NS;
    while (access(ssh->control, F_OK) != 0) {
        char words[WORDS];
        if (is_interrupted(ssh))
            return interrupted(message);
        if (edge_subprocess_poll(&ssh->master)) {
            last_words(ssh->words_fd, words, sizeof(words));
            return edge_fail(message, EDGE_ERR_CLOSED, "cannot connect to %.100s: %.200s%s",
                             ssh->name.host, words[0] ? last_line(words) : "ssh gave no reason",
                             advice(words));
        }
        uint64_t now = edge_clock_ns();
        if (now >= until_ns)
            return edge_fail(message, -ETIMEDOUT, "cannot connect to %.100s: no answer within %d s",
                             ssh->name.host, (int)(CONNECT_NS / EDGE_NS_PER_S));
        edge_clock_sleep_until(now + TICK_NS);
    }
    return 0;
}

int edge_ssh_open(struct edge_ssh *ssh, const struct edge_ssh_name *name,
                  struct edge_interrupt *interrupt, struct edge_message *message)
{
    *ssh = (struct edge_ssh){
        .name = *name, .folder = "/tmp/bench-edge-XXXXXX", .words_fd = -1, .interrupt = interrupt};
    int error = 0;
    if (!mkdtemp(ssh->folder)) { // mode 0700
        error = -errno;
        ssh->folder[0] = '\0';
    } else if ((ssh->words_fd = memfd_create("ssh", MFD_CLOEXEC)) < 0) {
        error = -errno;
    }
    if (error)
        edge_fail(message, error, "cannot make a folder in /tmp: %s", edge_error_text(error));
    snprintf(ssh->control, sizeof(ssh->control), "%s/ssh", ssh->folder);
    if (!error)
        error = start_master(ssh, message);
    if (!error)
        error = wait_connected(ssh, message);
    if (error)
        edge_ssh_close(ssh);
    return error;
}

void edge_ssh_close(struct edge_ssh *ssh)
{
    if (ssh->folder[0] == '\0')
        return;
    edge_subprocess_stop(&ssh->master, GRACE_NS);
    unlink(ssh->control); // if it had to be killed
    rmdir(ssh->folder);
    if (ssh->words_fd >= 0)
        close(ssh->words_fd);
    *ssh = (struct edge_ssh){.words_fd = -1};
}

bool edge_ssh_is_lost(struct edge_ssh *ssh, char *why, size_t size)
{
    if (ssh->folder[0] == '\0')
        return false;
    uint64_t until_ns = edge_clock_ns() + LOST_NS;
    while (!edge_subprocess_poll(&ssh->master) && edge_clock_ns() < until_ns)
        edge_clock_sleep_until(edge_clock_ns() + TICK_NS);
    if (!ssh->master.exited)
        return false;
    char words[320];
    last_words(ssh->words_fd, words, sizeof(words));
    snprintf(why, size, "%s", words[0] ? last_line(words) : "closed by the other end");
    return true;
}

// --- Commands ---

// Reads what it says until it ends. What does not fit is thrown away.
static int collect(struct edge_ssh *ssh, int fd, uint64_t until_ns, char *out, size_t size)
{
    size_t len = 0;
    int error = 0;
    for (;;) {
        char rest[512];
        struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
                               {.fd = ssh->interrupt ? ssh->interrupt->fd : -1, .events = POLLIN}};
        uint64_t now = edge_clock_ns();
        if (now >= until_ns)
            error = -ETIMEDOUT;
        else if (is_interrupted(ssh))
            error = -EINTR;
        if (error)
            break;
        if (poll(fds, 2, (int)((until_ns - now) / EDGE_NS_PER_MS) + 1) <= 0 || !fds[0].revents)
            continue;
        bool fits = len < size - 1;
        ssize_t got = read(fd, fits ? out + len : rest, fits ? size - 1 - len : sizeof(rest));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        len += fits ? (size_t)got : 0;
    }
    out[len] = '\0';
    return error;
}

static int finish(struct edge_ssh *ssh, struct edge_subprocess *process, int error,
                  uint64_t until_ns, struct edge_ssh_output *output, struct edge_message *message)
{
    while (!error && !edge_subprocess_poll(process)) {
        if (edge_clock_ns() >= until_ns)
            error = -ETIMEDOUT;
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    }
    edge_subprocess_stop(process, 0);
    output->status = WIFEXITED(process->status) ? WEXITSTATUS(process->status) : 255;
    char why[320];
    if (error == -EINTR)
        return interrupted(message);
    if (output->status == 255 && edge_ssh_is_lost(ssh, why, sizeof(why)))
        return edge_fail(message, EDGE_ERR_CLOSED, "the connection to %.100s is lost: %s",
                         ssh->name.host, why);
    if (error == -ETIMEDOUT)
        return edge_fail(message, error, "%.100s gave no answer in time", ssh->name.host);
    return error;
}

int edge_ssh_run(struct edge_ssh *ssh, const char *command, int input_fd, uint64_t timeout_ns,
                 struct edge_ssh_output *output, struct edge_message *message)
{
    const char *argv[EDGE_SSH_ARGS];
    edge_ssh_argv(ssh, command, argv);
    int words_fd = memfd_create("words", MFD_CLOEXEC);
    if (words_fd < 0) {
        int error = -errno;
        return edge_fail(message, error, "cannot make a file: %s", edge_error_text(error));
    }
    struct edge_subprocess_config config = {.argv = argv,
                                            .stdin_fd = input_fd > 0 ? input_fd : 0,
                                            .pipe_stdout = true,
                                            .stderr_fd = words_fd,
                                            .own_group = true,
                                            .die_with_parent = true};
    struct edge_subprocess process;
    uint64_t until_ns = edge_clock_ns() + timeout_ns;
    int error = edge_subprocess_spawn(&config, &process, message);
    if (!error) {
        error = collect(ssh, process.stdout_fd, until_ns, output->out, output->out_size);
        error = finish(ssh, &process, error, until_ns, output, message);
    }
    last_words(words_fd, output->words, sizeof(output->words));
    for (char *newline; (newline = strchr(output->words, '\n'));)
        *newline = ' ';
    close(words_fd);
    return error;
}

int edge_ssh_script(struct edge_ssh *ssh, const char *script, uint64_t timeout_ns,
                    struct edge_ssh_output *output, struct edge_message *message)
{
    int fd = memfd_create("script", MFD_CLOEXEC);
    size_t len = strlen(script);
    int error = fd < 0 ? -errno : 0;
    if (!error && (write(fd, script, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0))
        error = -EIO;
    if (error)
        edge_fail(message, error, "cannot make a file: %s", edge_error_text(error));
    else
        error = edge_ssh_run(ssh, "exec sh -s", fd, timeout_ns, output, message);
    if (fd >= 0)
        close(fd);
    return error;
}
