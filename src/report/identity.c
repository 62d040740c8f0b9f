#include "report/identity.h"

#include <string.h>

static edge_identity bit(unsigned fact)
{
    return UINT64_C(1) << fact;
}

static bool differs(const struct edge_row *a, const struct edge_row *b, enum edge_fact fact)
{
    const char *x = a->facts.at[fact];
    const char *y = b->facts.at[fact];
    if (fact == EDGE_FACT_POWER_SCOPE && (x[0] == '\0' || y[0] == '\0'))
        return false;
    return strcmp(x, y) != 0;
}

static bool invalid(const struct edge_row *row)
{
    return row->group != EDGE_ROW_RANKED && !row->only_emulated;
}

edge_identity edge_identity_differences(const struct edge_row *a, const struct edge_row *b,
                                        bool same_subject)
{
    edge_identity set = 0;
    for (unsigned i = 0; i < EDGE_FACTS; i++) {
        enum edge_fact_role role = edge_fact_describe((enum edge_fact)i)->role;
        bool counts = role == EDGE_FACT_WORK || role == EDGE_FACT_CONDITION ||
                      (role == EDGE_FACT_SUBJECT && same_subject);
        if (counts && differs(a, b, (enum edge_fact)i))
            set |= bit(i);
    }
    if (differs(a, b, EDGE_FACT_SERVER) && differs(a, b, EDGE_FACT_BOARD))
        set |= bit(EDGE_FACT_SERVER);
    if (invalid(a) || invalid(b))
        set |= EDGE_IDENTITY_INVALID;
    return set;
}

edge_identity edge_identity_background(const struct edge_row *a, const struct edge_row *b)
{
    edge_identity set = 0;
    for (unsigned i = 0; i < EDGE_FACTS; i++)
        if (edge_fact_describe((enum edge_fact)i)->role == EDGE_FACT_BACKGROUND &&
            i != EDGE_FACT_FILE && i != EDGE_FACT_STARTED && differs(a, b, (enum edge_fact)i))
            set |= bit(i);
    return set;
}

static const char invalid_name[] = "invalid";

static int unknown(const char *name, struct edge_message *message)
{
    char known[256] = "";
    for (unsigned i = 0; i < EDGE_FACTS; i++)
        if (edge_fact_describe((enum edge_fact)i)->role != EDGE_FACT_BACKGROUND)
            snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s, ",
                     edge_fact_describe((enum edge_fact)i)->name);
    return edge_fail(message, EDGE_ERR_USAGE, "--allow: expected one of %s%s; found \"%.60s\"",
                     known, invalid_name, name);
}

static int parse_one(const char *names, edge_identity *allowed, struct edge_message *message)
{
    for (;;) {
        char name[64];
        size_t len = strcspn(names, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, names);
        enum edge_fact fact = edge_fact_find(name);
        if (strcmp(name, invalid_name) == 0)
            *allowed |= EDGE_IDENTITY_INVALID;
        else if (fact < EDGE_FACTS && edge_fact_describe(fact)->role != EDGE_FACT_BACKGROUND)
            *allowed |= bit(fact);
        else
            return unknown(name, message);
        if (names[len] == '\0')
            return 0;
        names += len + 1;
    }
}

int edge_identity_parse(const struct edge_option_list *list, edge_identity *allowed,
                        struct edge_message *message)
{
    int rv = 0;
    *allowed = 0;
    for (unsigned i = 0; rv == 0 && i < list->count; i++)
        rv = parse_one(list->at[i], allowed, message);
    return rv;
}

static const char *value_of(const struct edge_row *row, unsigned fact)
{
    const char *value = row->facts.at[fact];
    return value[0] != '\0' ? value : "not recorded";
}

void edge_identity_print(edge_identity set, const struct edge_row *a, const struct edge_row *b,
                         FILE *out)
{
    const char *comma = "";
    for (unsigned i = 0; i < EDGE_FACTS; i++) {
        if ((set & bit(i)) == 0)
            continue;
        fprintf(out, "%s%s", comma, edge_fact_describe((enum edge_fact)i)->name);
        if (a != NULL && b != NULL)
            fprintf(out, " (%s; %s)", value_of(a, i), value_of(b, i));
        comma = ", ";
    }
    if ((set & EDGE_IDENTITY_INVALID) != 0) {
        fprintf(out, "%s%s", comma, invalid_name);
        if (a != NULL && b != NULL)
            fprintf(out, " (%s; %s)", a->verdict, b->verdict);
    }
}
