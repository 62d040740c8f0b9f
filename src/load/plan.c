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

int edge_plan_init(struct edge_plan *plan, const struct edge_load_config *config,
                   struct edge_message *message)
{
    *plan = (struct edge_plan){
        .config = config,
        .open_loop = config->rate > 0,
        .connect_timeout_ns =
            config->connect_timeout_ns > 0 ? config->connect_timeout_ns : CONNECT_TIMEOUT_DEFAULT,
    };
    const char *scheme = config->tls != NULL ? "https" : "http";
    int error = init_shapes(plan, message);
    if (error == 0)
        error = edge_request_init(&plan->request, scheme, config->payload->path,
                                  authority_of(config), config->timeout_ns, message);
    if (error < 0) {
        edge_plan_free(plan);
        return error;
    }
    error = edge_framed_init(&plan->message, &config->payload->request);
    if (error == 0)
        error = edge_verify_plan_init(&plan->verify, config->payload);
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
    edge_framed_free(&plan->message);
    edge_verify_plan_free(&plan->verify);
}
