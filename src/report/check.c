#include "report/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct edge_check *add(struct edge_checks *checks, const struct edge_row *row)
{
    if (checks->failed)
        return NULL;
    if ((checks->count & (checks->count - 1)) == 0) {
        size_t cap = checks->count == 0 ? 1 : 2 * checks->count;
        struct edge_check *larger = reallocarray(checks->at, cap, sizeof(*larger));
        checks->failed = larger == NULL;
        if (larger == NULL)
            return NULL;
        checks->at = larger;
    }
    struct edge_check *check = &checks->at[checks->count++];
    *check = (struct edge_check){.row = row};
    return check;
}

void edge_checks_free(struct edge_checks *checks)
{
    free(checks->at);
    *checks = (struct edge_checks){0};
}

void edge_check_valid(struct edge_checks *checks, const struct edge_row *row)
{
    struct edge_check *check = add(checks, row);
    if (check == NULL)
        return;
    snprintf(check->goal, sizeof(check->goal), "valid");
    if (row->group == EDGE_ROW_RANKED) {
        snprintf(check->found, sizeof(check->found), "valid");
    } else if (row->only_emulated) {
        snprintf(check->found, sizeof(check->found), "emulated: its speed proves nothing");
    } else {
        size_t len = strcspn(row->reasons, "\n");
        check->verdict = EDGE_CHECK_NOT_VALID;
        if (len > 0)
            snprintf(check->found, sizeof(check->found), "%.*s", (int)len, row->reasons);
        else
            snprintf(check->found, sizeof(check->found), "%s", row->verdict);
    }
}

// Whether there is a figure that proves something; else sets what was found instead.
static bool judgeable(struct edge_check *check, const struct edge_column *column)
{
    if (!edge_column_stands(column, check->row)) {
        check->verdict = EDGE_CHECK_NOT_VALID;
        snprintf(check->found, sizeof(check->found), "the run is not valid: %s",
                 check->row->verdict);
        return false;
    }
    if (isnan(edge_column_figure(column, check->row))) {
        check->verdict = EDGE_CHECK_NOT_MEASURED;
        snprintf(check->found, sizeof(check->found), "not measured");
        return false;
    }
    return true;
}

void edge_check_slo(struct edge_checks *checks, const struct edge_row *row,
                    const struct edge_slo *slo)
{
    struct edge_check *check = add(checks, row);
    if (check == NULL)
        return;
    edge_goal_text(&slo->goal, check->goal, sizeof(check->goal));
    if (!judgeable(check, slo->column))
        return;
    double value = edge_column_figure(slo->column, row);
    edge_column_show(slo->column, value, check->found, sizeof(check->found));
    check->verdict = edge_goal_kept(&slo->goal, value) ? EDGE_CHECK_KEPT : EDGE_CHECK_MISSED;
}

// Worse than the tolerance allows.
static bool worse(const struct edge_column *column, double ratio, double tolerance)
{
    if (column->better == EDGE_BETTER_HIGHER)
        return ratio < 1 - tolerance;
    return ratio > 1 + tolerance;
}

static void judge(struct edge_check *check, const struct edge_column *column,
                  const struct edge_measured *measured, const struct edge_measured *baseline,
                  double tolerance)
{
    struct edge_ratio ratio = edge_measured_ratio(column, baseline, measured);
    char now[48];
    char then[48];
    char interval[64] = "one repeat";
    edge_column_show(column, edge_column_figure(column, &measured->row), now, sizeof(now));
    edge_column_show(column, edge_column_figure(column, &baseline->row), then, sizeof(then));
    if (!isnan(ratio.low))
        edge_measured_interval_text(&ratio, interval, sizeof(interval));
    bool shown = isnan(ratio.low) || ratio.low > 1 || ratio.high < 1;
    bool beyond = worse(column, ratio.ratio, tolerance);
    check->verdict = beyond && shown ? EDGE_CHECK_MISSED : EDGE_CHECK_KEPT;
    snprintf(check->found, sizeof(check->found), "%s, was %s: %+.1f %% (ratio %.3f, %s)%s", now,
             then, 100 * (ratio.ratio - 1), ratio.ratio, interval,
             beyond && !shown ? ": no difference shown" : "");
    if (isnan(ratio.ratio)) { // a zero among the repeats
        check->verdict = EDGE_CHECK_NOT_MEASURED;
        snprintf(check->found, sizeof(check->found), "%s, was %s: no ratio of zero", now, then);
    }
}

void edge_check_baseline(struct edge_checks *checks, const struct edge_measured *measured,
                         const struct edge_measured *baseline, double tolerance)
{
    static const char *const watched[] = {
        "req_per_s",      "p99",           "cpu_per_req", "peak_memory",
        "energy_per_req", "instr_per_req", "binary"};
    for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
        const struct edge_column *column = edge_columns_find(watched[i], NULL);
        if (isnan(edge_column_figure(column, &baseline->row)) ||
            (baseline->row.emulated && !column->stands))
            continue;
        struct edge_check *check = add(checks, &measured->row);
        if (check == NULL)
            return;
        snprintf(check->goal, sizeof(check->goal), "%s within %.6g%% of the baseline", column->name,
                 100 * tolerance);
        if (judgeable(check, column))
            judge(check, column, measured, baseline, tolerance);
    }
}

enum edge_exit edge_checks_exit(const struct edge_checks *checks)
{
    bool invalid = false;
    for (size_t i = 0; i < checks->count; i++) {
        enum edge_check_verdict verdict = checks->at[i].verdict;
        if (verdict == EDGE_CHECK_MISSED || verdict == EDGE_CHECK_NOT_MEASURED)
            return EDGE_EXIT_MISSED;
        invalid = invalid || verdict == EDGE_CHECK_NOT_VALID;
    }
    return invalid ? EDGE_EXIT_INVALID : EDGE_EXIT_OK;
}
