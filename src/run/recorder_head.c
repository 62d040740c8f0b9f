#include "base/build_info.h"
#include "base/clock.h"
#include "run/recorder_internal.h"
#include "run/version_line.h"

static void put_run(struct edge_recorder *recorder, const struct edge_server_entry *server)
{
    const struct edge_recorder_facts *facts = recorder->facts;
    struct edge_record_run run;
    edge_record_init(EDGE_RECORD_RUN, &run);
    EDGE_RECORDER_SET(run.tool_version, "%s", edge_build_info()->version);
    edge_clock_utc(edge_clock_wall_ns(), run.started_utc);
    EDGE_RECORDER_SET(run.server, "%s", server->name);
    EDGE_RECORDER_SET(run.scenario, "%s", facts->payload->scenario);
    EDGE_RECORDER_SET(run.call, "%s", facts->payload->call);
    EDGE_RECORDER_SET(run.target, "%s", facts->target->name);
    run.emulated = edge_recorder_truth(facts->target->emulated);
    run.calibration = edge_recorder_truth(server->calibration);
    run.repeats = facts->options->repeat;
    edge_recorder_put(recorder, EDGE_RECORD_RUN, &run);
}

static void put_builds(struct edge_recorder *recorder, const struct edge_server_entry *server)
{
    const struct edge_build_info *info = edge_build_info();
    struct edge_record_build build;
    edge_record_init(EDGE_RECORD_BUILD, &build);
    EDGE_RECORDER_SET(build.program, "bench-edge");
    EDGE_RECORDER_SET(build.version, "%s", info->version);
    EDGE_RECORDER_SET(build.git, "%s", info->git);
    EDGE_RECORDER_SET(build.compiler, "%s", info->compiler);
    EDGE_RECORDER_SET(build.flags, "%s", info->flags);
    EDGE_RECORDER_SET(build.build, "%s", info->build);
    EDGE_RECORDER_SET(build.target, "%s", info->target);
    edge_recorder_put(recorder, EDGE_RECORD_BUILD, &build);
    edge_version_line_parse(server->version, server->name, &build);
    build.size_bytes = server->size_bytes;
    if (!recorder->facts->options->tls)
        EDGE_RECORDER_SET(build.tls, "off"); // whatever it could do
    else if (!build.tls[0])
        EDGE_RECORDER_SET(build.tls, "on");
    edge_recorder_put(recorder, EDGE_RECORD_BUILD, &build);
}

static void put_opt(struct edge_recorder *recorder, const char *name, const char *env,
                    const char *value)
{
    struct edge_record_opt opt;
    edge_record_init(EDGE_RECORD_OPT, &opt);
    EDGE_RECORDER_SET(opt.name, "%s", name);
    EDGE_RECORDER_SET(opt.env, "%s", env ? env : "");
    EDGE_RECORDER_SET(opt.value, "%s", value);
    edge_recorder_put(recorder, EDGE_RECORD_OPT, &opt);
}

// The options as asked for, then what was made of them.
static void put_opts(struct edge_recorder *recorder)
{
    const struct edge_recorder_facts *facts = recorder->facts;
    const struct edge_target *target = facts->target;
    char text[512];
    for (const struct edge_option *row = facts->command->options; row->name; row++)
        put_opt(recorder, row->name, row->env,
                edge_option_text(row, facts->options, text, sizeof(text)));
    put_opt(recorder, "server-cpu-list", NULL,
            edge_cpuset_text(&target->server_cpus, text, sizeof(text)));
    put_opt(recorder, "client-cpu-list", NULL,
            edge_cpuset_text(&target->client_cpus, text, sizeof(text)));
    if (target->emulated)
        put_opt(recorder, "guest-counters", NULL,
                target->emulator.not_counted[0] ? target->emulator.not_counted : "true");
    if (target->shared)
        put_opt(recorder, "cpu-shared", NULL, "true");
}

static void put_sources(struct edge_recorder *recorder)
{
    const struct edge_meters *meters = recorder->facts->meters;
    for (unsigned i = 0; i < meters->count; i++)
        edge_recorder_put(recorder, EDGE_RECORD_SOURCE, &meters->at[i].facts);
}

void edge_recorder_head(struct edge_recorder *recorder, const struct edge_server_entry *server)
{
    put_run(recorder, server);
    put_builds(recorder, server);
    put_opts(recorder);
    put_sources(recorder);
}
