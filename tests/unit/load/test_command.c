#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "load/command.h"

// Runs the command with stderr in a file; returns the exit code and what it said.
static int run(char *said, size_t size, int argc, char **argv)
{
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    int code = edge_load_command(argc, argv);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    size_t len = fread(said, 1, size - 1, file);
    said[len] = '\0';
    fclose(file);
    return code;
}

#define EXPECT(code, text, ...)                                                                    \
    do {                                                                                           \
        char said[1024];                                                                           \
        char *argv[] = {(char[]){"load"}, __VA_ARGS__, NULL};                                      \
        int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1;                                      \
        assert_int_equal(run(said, sizeof(said), argc, argv), code);                               \
        if (strstr(said, text) == NULL)                                                            \
            fail_msg("expected \"%s\", found \"%s\"", text, said);                                 \
    } while (0)

#define ARG(text) ((char[]){text})

static void usage_errors(void **state)
{
    (void)state;
    EXPECT(2, "expected one HOST:PORT or unix:PATH, found 0 operands", ARG("-c"), ARG("5"));
    EXPECT(2, "expected one HOST:PORT or unix:PATH, found 2 operands", ARG("a:1"), ARG("b:2"));
    EXPECT(2, "--name: expected UTF-8", ARG("--name"), ARG("a\nb"), ARG("127.0.0.1:1"));
    EXPECT(2, "--name: expected UTF-8", ARG("--name"), ARG("a\xff"), ARG("127.0.0.1:1"));
    EXPECT(2, "--concurrency 5 is below --connections 6", ARG("-c"), ARG("5"), ARG("--connections"),
           ARG("6"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected --total or --duration, found both", ARG("-n"), ARG("5"), ARG("-z"),
           ARG("1s"), ARG("127.0.0.1:1"));
    EXPECT(2, "unknown scenario \"x\"; known: complex_proto", ARG("--scenario"), ARG("x"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "unknown call \"x\"", ARG("--call"), ARG("x"), ARG("127.0.0.1:1"));
    EXPECT(2, "unknown call \"x\"; known: helloworld.Greeter/SayHello", ARG("--call"), ARG("x"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "expected --proto or --protoset, found both", ARG("--proto"), ARG("a.proto"),
           ARG("--protoset"), ARG("a.pb"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected --call with --proto", ARG("--proto"), ARG("a.proto"), ARG("127.0.0.1:1"));
    EXPECT(2, "--import-path is where --proto looks", ARG("-i"), ARG("."), ARG("127.0.0.1:1"));
    EXPECT(2, "expected --metadata or --metadata-file", ARG("-m"), ARG("{}"), ARG("-M"), ARG("x"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "--metadata:1: grpc-status: expected a name that the generator does not set itself",
           ARG("-m"), ARG("{\"grpc-status\":\"0\"}"), ARG("127.0.0.1:1"));
    EXPECT(2, "one message without {{...}}", ARG("-d"), ARG(" [{}]"), ARG("127.0.0.1:1"));
    EXPECT(2, "one message without {{...}}", ARG("-d"),
           ARG("{\"request\":{\"name\":\"{{counter}}\"}}"), ARG("127.0.0.1:1"));
    EXPECT(2, "--stream-call-duration is not below --timeout", ARG("--stream-call-duration"),
           ARG("20s"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected a method that streams; helloworld.Greeter/SayHello does not",
           ARG("--stream-call-count"), ARG("5"), ARG("127.0.0.1:1"));
    EXPECT(2, "a method whose client streams; helloworld.Greeter/SayHellos has one request",
           ARG("--stream-interval"), ARG("1s"), ARG("--call"), ARG("SayHellos"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "expected --messages or --stream-call-count", ARG("--stream-call-count"), ARG("5"),
           ARG("--messages"), ARG("5"), ARG("--call"), ARG("SayHelloCS"), ARG("127.0.0.1:1"));
    EXPECT(2, "verified by the number of requests", ARG("--stream-call-duration"), ARG("1s"),
           ARG("--call"), ARG("SayHelloCS"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected one of --scenario, --data", ARG("--scenario"), ARG("empty"), ARG("-d"),
           ARG("{}"), ARG("127.0.0.1:1"));
    EXPECT(2, "--data:1: request.n: expected a whole number", ARG("-d"),
           ARG("{\"request\":{\"n\":1.5}}"), ARG("127.0.0.1:1"));
    EXPECT(2, "--cpus: expected a list of CPUs as 0 or 1-3,5; found \"x\"", ARG("--cpus"), ARG("x"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "nowhere.json", ARG("-D"), ARG("nowhere.json"), ARG("127.0.0.1:1"));
    EXPECT(2, "-c", ARG("-c"), ARG("many"), ARG("127.0.0.1:1"));
    EXPECT(2, "--rps", ARG("--rps"), ARG("2G"), ARG("127.0.0.1:1"));
    EXPECT(2, "localhost", ARG("localhost"));
    EXPECT(2, "expected unix:PATH with a path", ARG("unix:"));
    EXPECT(2,
           "-O: expected some of summary, json, csv, html, hgrm, influx, prometheus; found \"x\"",
           ARG("-O"), ARG("json,x"), ARG("127.0.0.1:1"));
    EXPECT(2, "-O names json twice", ARG("-O"), ARG("json,json"), ARG("-o"), ARG("x"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "several formats need --output", ARG("-O"), ARG("json,csv"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected a time such as 5ms", ARG("--slo"), ARG("p99<5"), ARG("127.0.0.1:1"));
    EXPECT(2, "there is no figure \"q99\"; known: pN", ARG("--slo"), ARG("q99<5ms"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "--find-max decides on rate and number of calls", ARG("--find-max"), ARG("p99<5ms"),
           ARG("-n"), ARG("5"), ARG("127.0.0.1:1"));
    EXPECT(2, "cannot read nowhere.conf", ARG("--config"), ARG("nowhere.conf"), ARG("127.0.0.1:1"));
}

static void shapes_that_cannot_be(void **state)
{
    (void)state;
    EXPECT(2, "--arrivals poisson is of an open loop", ARG("--arrivals"), ARG("poisson"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "--max-inflight is of an open loop", ARG("--max-inflight"), ARG("5"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "--max-inflight 2 is below --connections 3", ARG("--max-inflight"), ARG("2"),
           ARG("--connections"), ARG("3"), ARG("-r"), ARG("5"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected --rps or --load-schedule, found both", ARG("-r"), ARG("5"),
           ARG("--load-schedule"), ARG("line"), ARG("--load-start"), ARG("1"), ARG("--load-end"),
           ARG("9"), ARG("--load-step"), ARG("2"), ARG("127.0.0.1:1"));
    EXPECT(2, "are of --load-schedule step or line", ARG("--load-start"), ARG("1"),
           ARG("127.0.0.1:1"));
    EXPECT(2, "--concurrency-step: expected a whole number such as 50 or -50, found \"x\"",
           ARG("--concurrency-schedule"), ARG("line"), ARG("--concurrency-start"), ARG("1"),
           ARG("--concurrency-step=x"), ARG("127.0.0.1:1"));
    EXPECT(2, "--concurrency 1 is below --connections 2", ARG("--concurrency-schedule"),
           ARG("line"), ARG("--concurrency-start"), ARG("9"), ARG("--concurrency-end"), ARG("1"),
           ARG("--concurrency-step=-1"), ARG("--connections"), ARG("2"), ARG("127.0.0.1:1"));
    EXPECT(2, "--skip-first 5 leaves nothing of --total 5", ARG("--skip-first"), ARG("5"),
           ARG("-n"), ARG("5"), ARG("127.0.0.1:1"));
    EXPECT(2, "expected --duration or --max-duration, found both", ARG("-x"), ARG("5s"), ARG("-z"),
           ARG("5s"), ARG("127.0.0.1:1"));
}

static void nothing_listens(void **state)
{
    (void)state;
    EXPECT(1, "nothing listens on 127.0.0.1:1 (connection refused)", ARG("-n"), ARG("1"),
           ARG("127.0.0.1:1"));
}

static void defaults_parse(void **state)
{
    (void)state;
    uint64_t space[256] = {0};
    edge_options_defaults(&edge_load_command_options, space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors),
        cmocka_unit_test(shapes_that_cannot_be),
        cmocka_unit_test(nothing_listens),
        cmocka_unit_test(defaults_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
