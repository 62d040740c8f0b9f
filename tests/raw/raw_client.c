// raw_client: plays cases against a server and says of each whether the answer was as expected.
//
//   raw_client HOST:PORT                     single requests, the bugs of others, broken frames
//   raw_client --table attacks HOST:PORT     the attacks, one after the other
//   raw_client --table slow HOST:PORT        clients that take their time, for short_server
//   raw_client --tls ... HOST:PORT           the same over TLS
//   raw_client --list                        the cases: table, name, reference, expected answer
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option.h"
#include "cases.h"

#define PATIENCE_NS (20 * EDGE_NS_PER_S) // for a case
#define PORTION_LOW 16384u // an attack queues its next portion when less than this is left

struct config {
    const char *table, *only, *record;
    uint64_t duration_ns, connects;
    bool list, tls;
};

static const struct edge_option options[] = {
    {EDGE_OPT_STRING(struct config, table), .name = "table", .argument = "NAME",
     .help = "Play this table only: requests, bugs, frames, slow or attacks."},
    {EDGE_OPT_STRING(struct config, only), .name = "only", .argument = "NAME",
     .help = "Play the case of this name only."},
    {EDGE_OPT_DURATION(struct config, duration_ns), .name = "duration", .letter = 'z',
     .argument = "TIME", .fallback = "300ms", .help = "How long each attack lasts."},
    {EDGE_OPT_COUNT(struct config, connects), .name = "connects", .argument = "N", .fallback = "10",
     .min = 1, .max = 100000,
     .help = "How often a second an attack connects again when it has been thrown out."},
    {EDGE_OPT_STRING(struct config, record), .name = "record", .argument = "FOLDER",
     .help = "Write what each case sends into files there, as fuzz_h2_session takes them."},
    {EDGE_OPT_BOOL(struct config, tls), .name = "tls",
     .help = "Over TLS; any certificate will do."},
    {EDGE_OPT_BOOL(struct config, list), .name = "list", .help = "Print the cases and exit."},
    {.name = NULL},
};

static const struct edge_command command = {
    .name = "raw_client",
    .operands = "HOST:PORT",
    .summary = "A test fixture: plays what servers got wrong before, frame by frame.",
    .options = options,
};

struct player {
    const struct config *config;
    struct raw raw;
    unsigned played, failed;
};

// The attacks, and what needs a server with short times, are played when they are asked for.
static bool chosen(const struct config *config, const char *table, const char *name)
{
    bool usual = strcmp(table, "attacks") != 0 && strcmp(table, "slow") != 0;
    bool table_chosen =
        config->table != NULL ? strcmp(config->table, table) == 0 : usual || config->list;
    return table_chosen && (config->only == NULL || strcmp(name, config->only) == 0);
}

static bool begin(struct player *player, const char *table, const char *name, const char *reference,
                  const char *answer)
{
    if (!chosen(player->config, table, name))
        return false;
    if (player->config->list) {
        printf("%s\t%s\t%s\t%s\n", table, name, reference, answer);
        return false;
    }
    player->raw.failure[0] = '\0';
    player->raw.until_ns = edge_clock_ns() + PATIENCE_NS;
    if (player->config->record != NULL) {
        char path[512];
        snprintf(path, sizeof(path), "%s/raw_%s_%u", player->config->record, table, player->played);
        player->raw.record = fopen(path, "wb");
        if (player->raw.record == NULL) {
            fprintf(stderr, "raw_client: cannot write %s: %s\n", path, strerror(errno));
            exit(EDGE_EXIT_FAILED);
        }
        fputc((int)(player->played & 1), player->raw.record); // the codec, see fuzz_h2_session.c
    }
    return true;
}

static void end(struct player *player, const char *table, const char *name, const char *reference,
                const char *found)
{
    struct raw *raw = &player->raw;
    bool failed = raw->failure[0] != '\0';
    printf("%s %s: %s (%s): %s\n", failed ? "BAD" : "ok ", table, name, reference,
           failed ? raw->failure : found);
    fflush(stdout);
    player->played++;
    player->failed += failed;
    raw_close(raw);
    if (raw->record != NULL)
        fclose(raw->record);
    raw->record = NULL;
}

static void play_request(struct player *player, const struct raw_request_case *row)
{
    struct raw *raw = &player->raw;
    char text[160];
    if (!begin(player, "requests", row->name, row->reference, row->answer))
        return;
    raw_check(raw, raw_open(raw, true), "nothing listens at %s", raw->address->text);
    raw_request(raw, 1, row->body == NULL ? EDGE_FLAG_END_STREAM : 0, row->fields);
    if (row->body != NULL)
        raw_frame(raw, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 1, row->body, row->body_len);
    raw_check_answer(raw, 1, row->answer);
    if (row->allows != NULL)
        raw_check(raw, strstr(raw_answer(raw, 1)->encodings, row->allows) != NULL,
                  "expected grpc-accept-encoding with %s, found \"%s\"", row->allows,
                  raw_answer(raw, 1)->encodings);
    raw_answer_text(raw_answer(raw, 1), text, sizeof(text));
    // The connection goes on.
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, "200, grpc-status 0, 1 message");
    end(player, "requests", row->name, row->reference, text);
}

static void play_case(struct player *player, const char *table, const struct raw_case *row)
{
    struct raw *raw = &player->raw;
    if (!begin(player, table, row->name, row->reference, row->answer))
        return;
    raw_check(raw, raw_open(raw, true), "nothing listens at %s", raw->address->text);
    row->play(raw);
    end(player, table, row->name, row->reference, row->answer);
}

struct tally {
    unsigned connections;
    unsigned ends; // that were as expected
    uint64_t bytes;
    char found[64]; // how the latest one ended
};

static void judge(struct raw *raw, const struct raw_attack *attack, struct tally *tally)
{
    raw_connection_text(raw, tally->found, sizeof(tally->found));
    bool expected = raw_one_of(tally->found, attack->answer);
    raw_check(raw, expected, "expected %s, found %s %s", attack->answer, tally->found,
              raw->goaway_text);
    tally->ends += expected;
}

// One connection, until it is closed or the time is up.
static void attack_once(struct raw *raw, const struct raw_attack *attack, struct tally *tally)
{
    bool open = attack->bare ? raw_connect(raw) : raw_open(raw, true);
    raw_check(raw, open, "nothing listens at %s", raw->address->text);
    tally->connections++;
    if (attack->bare)
        attack->round(raw);
    do {
        size_t before = raw->out.len;
        if (!attack->bare && before < PORTION_LOW)
            attack->round(raw);
        tally->bytes += raw->out.len - before;
    } while (raw_turn(raw));
    if (raw->closed)
        judge(raw, attack, tally);
}

// Goes on for the whole duration, and beyond it until the server has thrown it out once, if that is
// what is expected.
static void play_attack(struct player *player, const struct raw_attack *attack)
{
    struct raw *raw = &player->raw;
    struct tally tally = {0};
    char text[160];
    if (!begin(player, "attacks", attack->name, attack->reference, attack->answer))
        return;
    const uint64_t gap_ns = EDGE_NS_PER_S / player->config->connects;
    const uint64_t patience_ns = raw->until_ns;
    uint64_t at_ns = edge_clock_ns();
    const uint64_t until_ns = at_ns + player->config->duration_ns;
    bool may_stay = raw_one_of("open", attack->answer);
    while (raw->failure[0] == '\0' &&
           at_ns < (tally.ends > 0 || may_stay ? until_ns : patience_ns)) {
        raw->until_ns = tally.ends > 0 || may_stay ? until_ns : patience_ns;
        attack_once(raw, attack, &tally);
        if (at_ns + gap_ns > edge_clock_ns())
            edge_clock_sleep_until(at_ns + gap_ns);
        at_ns = edge_clock_ns();
    }
    if (tally.ends == 0)
        judge(raw, attack, &tally);
    snprintf(text, sizeof(text), "%s, %u connections, %llu bytes", tally.found, tally.connections,
             (unsigned long long)tally.bytes);
    end(player, "attacks", attack->name, attack->reference, text);
}

static int play(struct player *player)
{
    for (size_t i = 0; i < raw_requests_count; i++)
        play_request(player, &raw_requests[i]);
    for (size_t i = 0; i < raw_bugs_count; i++)
        play_case(player, "bugs", &raw_bugs[i]);
    for (size_t i = 0; i < raw_frames_count; i++)
        play_case(player, "frames", &raw_frames[i]);
    for (size_t i = 0; i < raw_slow_count; i++)
        play_case(player, "slow", &raw_slow[i]);
    for (size_t i = 0; i < raw_attacks_count; i++)
        play_attack(player, &raw_attacks[i]);
    if (player->config->list)
        return EDGE_EXIT_OK;
    printf("%u cases, %u as expected\n", player->played, player->played - player->failed);
    return player->played > 0 && player->failed == 0 ? EDGE_EXIT_OK : EDGE_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    static struct player player;
    struct edge_address address = {.len = 0};
    struct config config;
    struct edge_message message = {"expected HOST:PORT, the server to play against"};
    int operands = 0;
    edge_options_defaults(&command, &config);
    int got = edge_options_argv(&command, &config, argc, argv, &operands, &message);
    if (got == EDGE_ARGV_HELP) {
        edge_options_help(&command, stdout);
        return EDGE_EXIT_OK;
    }
    if (got != EDGE_ARGV_GO || (operands != 1 && !config.list) ||
        (operands == 1 && edge_address_parse(argv[0], &address, &message) < 0)) {
        fprintf(stderr, "raw_client: %s\n", message.text);
        return EDGE_EXIT_USAGE;
    }
    player.config = &config;
    raw_init(&player.raw, &address);
    const struct edge_tls_client_config tls_config = {.skip_verify = true};
    if (config.tls && edge_tls_client_new(&tls_config, &player.raw.tls, &message) < 0) {
        fprintf(stderr, "raw_client: %s\n", message.text);
        return EDGE_EXIT_FAILED;
    }
    int status = play(&player);
    raw_free(&player.raw);
    edge_tls_del(player.raw.tls);
    return status;
}
