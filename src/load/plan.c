#include "load/plan.h"

#include "base/clock.h"

#define CONNECT_TIMEOUT_DEFAULT (10 * EDGE_NS_PER_S)

int edge_plan_init(struct edge_plan *plan, const struct edge_load_config *config,
                   struct edge_message *message)
{
    *plan = (struct edge_plan){
        .config = config,
        .open_loop = config->rate > 0,
        .connect_timeout_ns =
            config->connect_timeout_ns > 0 ? config->connect_timeout_ns : CONNECT_TIMEOUT_DEFAULT,
    };
    const char *authority = config->authority != NULL ? config->authority : config->address.text;
    const char *scheme = config->tls != NULL ? "https" : "http";
    int error = edge_request_init(&plan->request, scheme, config->payload->path, authority,
                                  config->timeout_ns, message);
    if (error < 0)
        return error;
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
    edge_request_free(&plan->request);
    edge_framed_free(&plan->message);
    edge_verify_plan_free(&plan->verify);
}
