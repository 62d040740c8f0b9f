#include "load/plan.h"

#include "base/clock.h"

#define CONNECT_TIMEOUT_DEFAULT (10 * EDGE_NS_PER_S)

static int init_shapes(struct edge_plan *plan, struct edge_message *message)
{
    const struct edge_load_config *config = plan->config;
    struct edge_shape_config rates = config->rates, calls = config->calls;
    if (rates.kind == EDGE_SHAPE_CONST)
        rates.start = config->rate;
    if (calls.kind == EDGE_SHAPE_CONST)
        calls.start = config->concurrency;
    int error = edge_shape_init(&plan->calls, &calls, config->warmup_ns, "concurrency", message);
    if (error == 0 && plan->open_loop)
        error = edge_shape_init(&plan->rates, &rates, config->warmup_ns, "load", message);
    return error;
}

// gRPC's name resolution gives calls over a unix socket this authority.
static const char *authority_of(const struct edge_load_config *config)
{
    if (config->authority != NULL)
        return config->authority;
    return config->address.storage.ss_family == AF_UNIX ? "localhost" : config->address.text;
}

// What of the stream options applies to this kind of call.
static void plan_streams(struct edge_plan *plan)
{
    const struct edge_load_config *config = plan->config;
    const struct edge_load_streams *streams = &config->streams;
    enum edge_call_kind kind = config->payload->kind;
    plan->replies_stream = kind == EDGE_CALL_SERVER_STREAM || kind == EDGE_CALL_BIDI;
    plan->messages_out = config->payload->messages_out;
    plan->limit_ns = config->timeout_ns;
    if (kind == EDGE_CALL_SERVER_STREAM) {
        plan->messages_in = streams->count;
        plan->limit_is_ours = streams->duration_ns > 0 &&
                              (config->timeout_ns == 0 || streams->duration_ns < plan->limit_ns);
        if (plan->limit_is_ours)
            plan->limit_ns = streams->duration_ns;
    } else if (plan->outgoing.streams) {
        plan->paced = streams->interval_ns > 0 || streams->duration_ns > 0;
        if (config->payload->service != NULL)
            plan->messages_out = streams->count > 0         ? streams->count
                                 : streams->duration_ns > 0 ? UINT64_MAX
                                                            : plan->outgoing.given;
    }
}

int edge_plan_init(struct edge_plan *plan, const struct edge_load_config *config,
                   struct edge_message *message)
{
    *plan = (struct edge_plan){
        .config = config,
        .open_loop = config->rate > 0,
        .connect_timeout_ns =
            config->connect_timeout_ns > 0 ? config->connect_timeout_ns : CONNECT_TIMEOUT_DEFAULT,
    };
    const struct edge_request_config request = {
        .scheme = config->tls != NULL ? "https" : "http",
        .path = config->payload->path,
        .authority = authority_of(config),
        .timeout_ns = config->timeout_ns,
        .metadata = config->metadata,
        .gzip = config->gzip,
    };
    int error = init_shapes(plan, message);
    if (error == 0)
        error = edge_request_init(&plan->request, &request, message);
    if (error < 0) {
        edge_plan_free(plan);
        return error;
    }
    error = edge_outgoing_init(&plan->outgoing, config->payload, config->gzip, config->seed);
    if (error == 0)
        error = edge_verify_plan_init(&plan->verify, config->payload);
    plan->verify.gzip = config->gzip;
    plan->numbers_messages = config->payload->service != NULL;
    plan_streams(plan);
    if (error == 0)
        return 0;
    edge_plan_free(plan);
    return edge_fail(message, error, "%s", edge_error_text(error));
}

void edge_plan_free(struct edge_plan *plan)
{
    edge_shape_free(&plan->rates);
    edge_shape_free(&plan->calls);
    edge_request_free(&plan->request);
    edge_outgoing_free(&plan->outgoing);
    edge_verify_plan_free(&plan->verify);
}
