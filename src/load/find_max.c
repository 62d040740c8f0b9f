#include "load/find_max.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "load/attend.h"
#include "load/search.h"

#define CONFIRM_TIMES   3u // longer than a probe
#define CONFIRM_TRIES   5u
#define CONFIRM_PERCENT 95u // of the rate that was not confirmed
#define WARMUP_PART     10u // of the window, unless --warmup is longer

struct finder {
    struct edge_load_config *config;
    const struct edge_goals *goals;
    struct edge_find_max *found;
    struct edge_load_result *result;
    bool has_result;
    uint64_t least_ns, warmup_ns;
    struct edge_message *message;
};

static uint64_t window_for(const struct finder *finder, uint64_t rate)
{
    uint64_t calls = edge_goals_calls(finder->goals);
    uint64_t needed_ns = calls / rate * EDGE_NS_PER_S + calls % rate * EDGE_NS_PER_S / rate;
    return needed_ns > finder->least_ns ? needed_ns : finder->least_ns;
}

static void describe(const struct finder *finder, struct edge_probe *probe)
{
    size_t used = 0;
    for (unsigned i = 0; i < finder->goals->count && used < sizeof(probe->why); i++) {
        const struct edge_goal *goal = &finder->goals->at[i];
        struct edge_verdict verdict = edge_goals_judge(goal, finder->config, finder->result);
        char text[96];
        used += (size_t)snprintf(probe->why + used, sizeof(probe->why) - used, "%s%s",
                                 i > 0 ? ", " : "",
                                 edge_goals_found(goal, &verdict, text, sizeof(text)));
    }
    if (used < sizeof(probe->why) && probe->ok * 100 < probe->due * EDGE_FIND_MAX_PERCENT)
        used += (size_t)snprintf(probe->why + used, sizeof(probe->why) - used,
                                 ", %.1f %% answered rightly",
                                 100.0 * (double)probe->ok / (double)probe->due);
    if (used < sizeof(probe->why) && probe->client_limited && !probe->kept)
        snprintf(probe->why + used, sizeof(probe->why) - used, ", CLIENT-LIMITED");
}

// One load at `rate`. 1: kept, 0: missed, or negative.
static int probe(struct finder *finder, uint64_t rate, unsigned times, bool confirms)
{
    struct edge_find_max *found = finder->found;
    struct edge_load_config *config = finder->config;
    if (found->count == EDGE_FIND_MAX_PROBES)
        return edge_fail(finder->message, EDGE_ERR_LIMIT, "no rate was found in %u probes",
                         EDGE_FIND_MAX_PROBES);
    if (finder->has_result)
        edge_load_result_free(finder->result);
    finder->has_result = false;
    config->rate = rate;
    config->duration_ns = window_for(finder, rate) * times;
    config->warmup_ns = config->duration_ns / WARMUP_PART;
    if (config->warmup_ns < finder->warmup_ns)
        config->warmup_ns = finder->warmup_ns;
    char label[64];
    snprintf(label, sizeof(label), "%s %" PRIu64 "/s: ", confirms ? "confirming" : "trying", rate);
    int error = edge_attend(config, label, finder->result, &found->interrupted, finder->message);
    if (error < 0)
        return error;
    finder->has_result = true;
    const struct edge_load_result *result = finder->result;
    struct edge_probe *done = &found->probes[found->count++];
    *done = (struct edge_probe){.rate = rate,
                                .window_ns = result->window_stop_ns - result->window_start_ns,
                                .due = result->due,
                                .ok = result->outcomes[EDGE_OUTCOME_OK],
                                .confirms = confirms,
                                .client_limited = result->client_limited};
    done->kept = edge_goals_kept(finder->goals, config, result) &&
                 done->ok * 100 >= done->due * EDGE_FIND_MAX_PERCENT && !found->interrupted;
    describe(finder, done);
    fprintf(stderr, "%s%" PRIu64 "/s %s: %s\n", confirms ? "confirming " : "", rate,
            done->kept ? "kept" : "missed", done->why);
    return done->kept;
}

// A miss is measured twice: one hiccup of the machine must not end the search.
static int try_rate(struct finder *finder, uint64_t rate)
{
    int kept = probe(finder, rate, 1, false);
    if (kept == 0 && !finder->found->interrupted)
        kept = probe(finder, rate, 1, false);
    return kept;
}

static int confirm(struct finder *finder, uint64_t rate)
{
    int kept = 0;
    for (unsigned i = 0; i < CONFIRM_TRIES && rate > 0 && !finder->found->interrupted; i++) {
        kept = probe(finder, rate, CONFIRM_TIMES, true);
        if (kept != 0)
            break;
        rate = rate * CONFIRM_PERCENT / 100;
    }
    if (kept > 0)
        finder->found->rate = rate;
    return kept < 0 ? kept : 0;
}

int edge_find_max(struct edge_load_config *config, const struct edge_goals *goals,
                  struct edge_find_max *found, struct edge_load_result *result,
                  struct edge_message *message)
{
    struct finder finder = {.config = config,
                            .goals = goals,
                            .found = found,
                            .result = result,
                            .least_ns = config->duration_ns,
                            .warmup_ns = config->warmup_ns,
                            .message = message};
    struct edge_search search;
    const uint64_t start = config->rate;
    *found = (struct edge_find_max){0};
    edge_search_init(&search, start);
    int kept = 0;
    while (search.next > 0 && !found->interrupted) {
        kept = try_rate(&finder, search.next);
        if (kept < 0)
            break;
        if (kept == 0)
            found->client_limited = found->probes[found->count - 1].client_limited;
        edge_search_take(&search, kept > 0, EDGE_SHAPE_VALUE_MAX);
        if (search.kept == 0 && search.next < start / EDGE_FIND_MAX_DOWN)
            break;
    }
    if (kept >= 0 && search.kept > 0)
        kept = confirm(&finder, search.kept);
    if (kept < 0 && finder.has_result)
        edge_load_result_free(result);
    return kept < 0 ? kept : 0;
}

static void print_outcome(const struct edge_find_max *found, FILE *out)
{
    if (found->interrupted) {
        fprintf(out, "  Interrupted: no rate was found.\n");
        return;
    }
    if (found->rate == 0) {
        fprintf(out, "  No rate was found that keeps the goals and can be confirmed.\n");
        return;
    }
    char window[24];
    const struct edge_probe *last = &found->probes[found->count - 1];
    fprintf(out,
            "  Found: %" PRIu64 " calls per second, confirmed over %s with %" PRIu64 " calls: %s\n",
            found->rate, edge_format_latency((double)last->window_ns, window, sizeof(window)),
            last->due, last->why);
    if (found->client_limited)
        fprintf(out, "  Above that the generator was the limit: the server may do more.\n");
}

void edge_find_max_print(const struct edge_find_max *found, const struct edge_goals *goals,
                         FILE *out)
{
    char text[96];
    fprintf(out, "\nSearch for the highest rate with");
    for (unsigned i = 0; i < goals->count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", edge_goal_text(&goals->at[i], text, sizeof(text)));
    fprintf(out, ":\n");
    for (unsigned i = 0; i < found->count; i++) {
        const struct edge_probe *probe = &found->probes[i];
        fprintf(out, "  %9" PRIu64 "/s  %10s  %8" PRIu64 " calls  %-6s  %s%s\n", probe->rate,
                edge_format_latency((double)probe->window_ns, text, sizeof(text)), probe->due,
                probe->kept ? "kept" : "MISSED", probe->confirms ? "confirming: " : "", probe->why);
    }
    print_outcome(found, out);
}

json_t *edge_find_max_json(const struct edge_find_max *found)
{
    json_t *probes = json_array();
    for (unsigned i = 0; probes != NULL && i < found->count; i++) {
        const struct edge_probe *probe = &found->probes[i];
        json_t *object = json_pack(
            "{s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:s}", "rate_per_s", (json_int_t)probe->rate,
            "window_ns", (json_int_t)probe->window_ns, "due", (json_int_t)probe->due, "ok",
            (json_int_t)probe->ok, "confirms", probe->confirms, "kept", probe->kept,
            "client_limited", probe->client_limited, "found", probe->why);
        if (object == NULL || json_array_append_new(probes, object) < 0) {
            json_decref(probes);
            probes = NULL;
        }
    }
    if (probes == NULL)
        return NULL;
    return json_pack("{s:o, s:b, s:o}", "rate_per_s",
                     found->rate > 0 ? json_integer((json_int_t)found->rate) : json_null(),
                     "client_limited", found->client_limited, "probes", probes);
}
