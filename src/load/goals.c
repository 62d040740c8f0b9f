#include "load/goals.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "load/books.h"
#include "load/summary.h"

#define CALLS_BEYOND 10.0 // samples above a percentile, or errors, that make it mean something
#define ERRORS_LEAST 0.1  // percent: the limit "errors<=0" is judged as if it were this

// The N of pN, in (0, 100]; negative: it is no such name.
static double percent_of(const char *name)
{
    double percent = 0;
    const char *rest = name[0] == 'p' ? edge_number_parse(name + 1, &percent) : NULL;
    return rest != NULL && *rest == '\0' && percent > 0 && percent <= 100 ? percent : -1;
}

static bool find_figure(const char *name, void *context, enum edge_unit *unit,
                        struct edge_message *message)
{
    (void)context;
    if (percent_of(name) > 0 || strcmp(name, "max") == 0 || strcmp(name, "latency_mean") == 0)
        *unit = EDGE_UNIT_NS;
    else if (strcmp(name, "req_per_s") == 0)
        *unit = EDGE_UNIT_NONE;
    else if (strcmp(name, "errors") == 0)
        *unit = EDGE_UNIT_PERCENT;
    else {
        edge_fail(message, EDGE_ERR_USAGE,
                  "there is no figure \"%s\"; known: pN (as p99 or p99.9), max, latency_mean, "
                  "req_per_s, errors",
                  name);
        return false;
    }
    return true;
}

int edge_goals_add(struct edge_goals *goals, const char *text, struct edge_message *message)
{
    while (text != NULL) {
        char one[96];
        size_t len = strcspn(text, ",");
        if (len >= sizeof(one))
            return edge_fail(message, EDGE_ERR_USAGE,
                             "expected a goal such as p99<5ms, found \"%.80s\"", text);
        if (goals->count == EDGE_GOALS_MAX)
            return edge_fail(message, EDGE_ERR_USAGE, "more than %u goals", EDGE_GOALS_MAX);
        snprintf(one, sizeof(one), "%.*s", (int)len, text);
        int error = edge_goal_parse(one, find_figure, NULL, &goals->at[goals->count], message);
        if (error < 0)
            return error;
        goals->count++;
        text = text[len] == ',' ? text + len + 1 : NULL;
    }
    return 0;
}

static bool is_upper(const struct edge_goal *goal)
{
    return goal->relation == EDGE_GOAL_LESS || goal->relation == EDGE_GOAL_AT_MOST;
}

static struct edge_verdict judge_percentile(const struct edge_goal *goal, double percent,
                                            const struct edge_histogram *latency)
{
    double beyond = 100.0 * (double)latency->censored / (double)latency->count;
    bool at_least = latency->censored > 0 && is_upper(goal) && percent + beyond > 100;
    if (is_upper(goal) && !at_least)
        percent += beyond; // the calls without an end are the slowest: they come last in rank
    return (struct edge_verdict){
        .at_least = at_least,
        .found = (double)edge_histogram_percentile(latency, percent < 100 ? percent : 100)};
}

static struct edge_verdict judge_latency(const struct edge_goal *goal,
                                         const struct edge_histogram *latency)
{
    double percent = percent_of(goal->name);
    if (latency->count == 0)
        return (struct edge_verdict){.found = NAN};
    if (percent > 0)
        return judge_percentile(goal, percent, latency);
    return (struct edge_verdict){.at_least = latency->censored > 0,
                                 .found = strcmp(goal->name, "max") == 0
                                              ? (double)latency->max
                                              : edge_histogram_mean(latency)};
}

static double error_percent(const struct edge_load_result *result)
{
    uint64_t failed = edge_books_failed(result) - result->outcomes[EDGE_OUTCOME_REFUSED];
    return result->sent > 0 ? 100.0 * (double)failed / (double)result->sent : NAN;
}

struct edge_verdict edge_goals_judge(const struct edge_goal *goal,
                                     const struct edge_load_config *config,
                                     const struct edge_load_result *result)
{
    struct edge_verdict verdict = {.found = NAN};
    double rate = edge_summary_rate(result);
    if (goal->unit == EDGE_UNIT_NS)
        verdict = judge_latency(goal, config->rate > 0 ? &result->response : &result->service);
    else if (goal->unit == EDGE_UNIT_PERCENT)
        verdict.found = error_percent(result);
    else if (rate >= 0)
        verdict.found = rate;
    verdict.kept = edge_goal_kept(goal, verdict.found) && !(verdict.at_least && is_upper(goal));
    return verdict;
}

bool edge_goals_kept(const struct edge_goals *goals, const struct edge_load_config *config,
                     const struct edge_load_result *result)
{
    bool kept = true;
    for (unsigned i = 0; i < goals->count; i++)
        kept &= edge_goals_judge(&goals->at[i], config, result).kept;
    return kept;
}

uint64_t edge_goals_calls(const struct edge_goals *goals)
{
    double calls = 0;
    for (unsigned i = 0; i < goals->count; i++) {
        const struct edge_goal *goal = &goals->at[i];
        double percent = percent_of(goal->name), tail = 0;
        if (percent > 0)
            tail = 100 - percent;
        else if (goal->unit == EDGE_UNIT_PERCENT)
            tail = goal->limit > ERRORS_LEAST ? goal->limit : ERRORS_LEAST;
        if (tail > 0 && CALLS_BEYOND * 100 / tail > calls)
            calls = CALLS_BEYOND * 100 / tail;
    }
    return (uint64_t)ceil(calls);
}

const char *edge_goals_found(const struct edge_goal *goal, const struct edge_verdict *verdict,
                             char *text, size_t size)
{
    char value[32] = "-";
    if (!isnan(verdict->found) && goal->unit == EDGE_UNIT_NS)
        edge_format_latency(verdict->found, value, sizeof(value));
    else if (!isnan(verdict->found))
        snprintf(value, sizeof(value), goal->unit == EDGE_UNIT_PERCENT ? "%.4g %%" : "%.2f",
                 verdict->found);
    snprintf(text, size, "%s %s%s", goal->name, verdict->at_least ? "at least " : "", value);
    return text;
}

void edge_goals_print(const struct edge_goals *goals, const struct edge_load_config *config,
                      const struct edge_load_result *result, FILE *out)
{
    char text[96], found[96];
    if (goals->count > 0)
        fprintf(out, "\nGoals:\n");
    for (unsigned i = 0; i < goals->count; i++) {
        const struct edge_goal *goal = &goals->at[i];
        struct edge_verdict verdict = edge_goals_judge(goal, config, result);
        fprintf(out, "  %-6s  %s: found %s\n", verdict.kept ? "kept" : "MISSED",
                edge_goal_text(goal, text, sizeof(text)),
                edge_goals_found(goal, &verdict, found, sizeof(found)));
    }
}

json_t *edge_goals_json(const struct edge_goals *goals, const struct edge_load_config *config,
                        const struct edge_load_result *result)
{
    static const char *const suffixes[EDGE_UNITS] = {
        [EDGE_UNIT_NONE] = "", [EDGE_UNIT_NS] = "_ns", [EDGE_UNIT_PERCENT] = "_percent"};
    char text[96], key[32];
    json_t *array = json_array();
    for (unsigned i = 0; array != NULL && i < goals->count; i++) {
        const struct edge_goal *goal = &goals->at[i];
        struct edge_verdict verdict = edge_goals_judge(goal, config, result);
        snprintf(key, sizeof(key), "found%s", suffixes[goal->unit]);
        json_t *object =
            json_pack("{s:s, s:b, s:b, s:o}", "goal", edge_goal_text(goal, text, sizeof(text)),
                      "kept", verdict.kept, "at_least", verdict.at_least, key,
                      isnan(verdict.found) ? json_null() : json_real(verdict.found));
        if (object == NULL || json_array_append_new(array, object) < 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}
