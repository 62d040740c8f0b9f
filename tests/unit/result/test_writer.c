#include "cmocka_headers.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/reader.h"
#include "result/writer.h"

struct place {
    char folder[64];
    char path[96];
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    snprintf(place->folder, sizeof(place->folder), "/tmp/edge_writer_XXXXXX");
    if (mkdtemp(place->folder) == NULL)
        return -1;
    snprintf(place->path, sizeof(place->path), "%s/r.jsonl", place->folder);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    rmdir(place->folder);
    free(place);
    return 0;
}

static void write_run(struct edge_result_writer *writer)
{
    struct edge_record_run run;
    struct edge_message message;
    edge_record_init(EDGE_RECORD_RUN, &run);
    snprintf(run.server, sizeof(run.server), "fixture_a");
    snprintf(run.scenario, sizeof(run.scenario), "complex_proto");
    snprintf(run.call, sizeof(run.call), "SayHello");
    snprintf(run.target, sizeof(run.target), "local");
    run.emulated = EDGE_NO;
    run.repeats = 3;
    if (edge_result_write(writer, EDGE_RECORD_RUN, &run, &message) != 0)
        fail_msg("%s", message.text);
}

static void open_writer(struct edge_result_writer *writer, const char *path)
{
    struct edge_message message;
    if (edge_result_writer_open(writer, path, &message) != 0)
        fail_msg("%s", message.text);
}

static int write_sample(struct edge_result_writer *writer, uint64_t at,
                        struct edge_message *message)
{
    struct edge_record_sample sample;
    edge_record_init(EDGE_RECORD_SAMPLE, &sample);
    sample.repeat = 1;
    sample.agent_time_ns = at;
    sample.rss_bytes = 1 << 20;
    return edge_result_write(writer, EDGE_RECORD_SAMPLE, &sample, message);
}

static void write_repeat(struct edge_result_writer *writer, uint64_t repeat)
{
    struct edge_record_interval window;
    edge_record_init(EDGE_RECORD_INTERVAL, &window);
    window.repeat = repeat;
    snprintf(window.name, sizeof(window.name), "window");
    window.start_ns = 1000000000;
    window.stop_ns = 11000000000;
    window.server_cpu_ns = 9000000000;
    assert_int_equal(edge_result_write(writer, EDGE_RECORD_INTERVAL, &window, NULL), 0);

    struct edge_record_count count;
    edge_record_init(EDGE_RECORD_COUNT, &count);
    count.repeat = repeat;
    count.due = count.sent = 1007;
    count.unsent = 0;
    edge_tally_add(&count.outcomes, "ok", 1000);
    edge_tally_add(&count.outcomes, "grpc_status", 7);
    edge_tally_add(&count.grpc_status, "13", 7);
    count.balanced = EDGE_YES;
    count.ok_in_window = 1000;
    snprintf(count.first_error, sizeof(count.first_error), "status 13: \"bad\"\n");
    assert_int_equal(edge_result_write(writer, EDGE_RECORD_COUNT, &count, NULL), 0);

    struct edge_histogram histogram;
    assert_int_equal(edge_histogram_init(&histogram), 0);
    for (uint64_t i = 0; i < 1000; i++)
        edge_histogram_record(&histogram, 1000 + i * 1000 * repeat);
    edge_histogram_record_bound(&histogram, EDGE_HISTOGRAM_MAX + 5);
    assert_int_equal(edge_result_write_histogram(writer, repeat, "service", &histogram, NULL), 0);
    edge_histogram_free(&histogram);
}

static void reads_back(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    open_writer(&writer, place->path);
    write_run(&writer);
    struct edge_record_opt opt = {"duration", "GRPC_BENCHMARK_DURATION", "10s"};
    assert_int_equal(edge_result_write(&writer, EDGE_RECORD_OPT, &opt, NULL), 0);
    write_repeat(&writer, 1);
    assert_int_equal(write_sample(&writer, 5, NULL), 0);
    write_repeat(&writer, 2);
    struct edge_record_end end;
    edge_record_init(EDGE_RECORD_END, &end);
    end.valid = EDGE_NO;
    edge_texts_add(&end.reasons, "duration %s", "2 s");
    end.elapsed_ns = 77;
    assert_int_equal(edge_result_write(&writer, EDGE_RECORD_END, &end, NULL), 0);
    assert_int_equal(edge_result_writer_close(&writer, NULL), 0);

    struct edge_result result;
    struct edge_message message;
    if (edge_result_read(place->path, &result, &message) != 0)
        fail_msg("%s", message.text);
    assert_string_equal(result.run.server, "fixture_a");
    assert_int_equal(result.run.emulated, EDGE_NO);
    assert_int_equal(result.run.calibration, EDGE_UNKNOWN);
    assert_string_equal(edge_result_option(&result, "duration"), "10s");
    assert_null(edge_result_option(&result, "rps"));
    assert_int_equal(result.repeat_count, 2);
    assert_int_equal(result.repeats[0].sample_count, 1);
    assert_int_equal(result.repeats[1].sample_count, 0);
    assert_int_equal(result.repeats[1].window.server_cpu_ns, 9000000000);
    assert_true(result.repeats[1].window.rss_bytes == EDGE_UNMEASURED);
    assert_int_equal(edge_tally_get(&result.repeats[1].count.outcomes, "grpc_status"), 7);
    assert_int_equal(edge_tally_get(&result.repeats[1].count.grpc_status, "13"), 7);
    assert_string_equal(result.repeats[1].count.first_error, "status 13: \"bad\"?");
    assert_true(fabs(edge_result_rate(&result.repeats[0]) - 100) < 1e-9);
    assert_true(result.ended);
    assert_int_equal(result.end.valid, EDGE_NO);
    assert_string_equal(result.end.reasons.at[0], "duration 2 s");
    assert_int_equal(result.end.elapsed_ns, 77);
    edge_result_free(&result);
    edge_result_free(&result);
}

// The merged bins are those of one histogram that saw every value.
static void merges_bins(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    open_writer(&writer, place->path);
    write_run(&writer);
    write_repeat(&writer, 1);
    write_repeat(&writer, 2);
    assert_int_equal(edge_result_writer_close(&writer, NULL), 0);

    struct edge_histogram merged;
    struct edge_histogram direct;
    assert_int_equal(edge_histogram_init(&merged), 0);
    assert_int_equal(edge_histogram_init(&direct), 0);
    for (uint64_t repeat = 1; repeat <= 2; repeat++) {
        for (uint64_t i = 0; i < 1000; i++)
            edge_histogram_record(&direct, 1000 + i * 1000 * repeat);
        edge_histogram_record(&direct, EDGE_HISTOGRAM_MAX + 5);
    }
    struct edge_result result;
    assert_int_equal(edge_result_read(place->path, &result, NULL), 0);
    edge_result_merge(&result, "service", &merged);
    assert_memory_equal(merged.bins, direct.bins, EDGE_HISTOGRAM_BINS * sizeof(uint64_t));
    assert_int_equal(merged.count, direct.count);
    assert_int_equal(merged.sum, direct.sum);
    assert_int_equal(merged.min, direct.min);
    assert_int_equal(merged.max, direct.max);
    assert_int_equal(merged.clamped, 2);
    assert_int_equal(merged.censored, 2);
    edge_result_merge(&result, "response", &merged); // there is none
    assert_int_equal(merged.count, direct.count);
    edge_result_free(&result);
    edge_histogram_free(&merged);
    edge_histogram_free(&direct);
}

static void empty_histogram(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    struct edge_histogram histogram;
    assert_int_equal(edge_histogram_init(&histogram), 0);
    open_writer(&writer, place->path);
    write_run(&writer);
    assert_int_equal(edge_result_write_histogram(&writer, 1, "service", &histogram, NULL), 0);
    assert_int_equal(edge_result_writer_close(&writer, NULL), 0);
    struct edge_result result;
    assert_int_equal(edge_result_read(place->path, &result, NULL), 0);
    assert_int_equal(result.repeats[0].hists[0].count, 0);
    assert_true(result.repeats[0].hists[0].min_ns == EDGE_UNMEASURED);
    edge_result_merge(&result, "service", &histogram);
    assert_int_equal(histogram.count, 0);
    edge_result_free(&result);
    edge_histogram_free(&histogram);
}

static void first_line_names_the_format(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    open_writer(&writer, place->path);
    write_run(&writer);
    assert_int_equal(edge_result_writer_close(&writer, NULL), 0);
    char line[256] = "";
    FILE *file = fopen(place->path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    static const char expected[] = "{\"type\":\"run\",\"format\":\"bench-edge-result\","
                                   "\"major\":1,\"minor\":1,";
    assert_memory_equal(line, expected, sizeof(expected) - 1);
}

static void order_is_kept(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    struct edge_message message;
    open_writer(&writer, place->path);
    assert_int_equal(write_sample(&writer, 1, &message), -EINVAL);
    write_run(&writer);
    struct edge_record_run run;
    edge_record_init(EDGE_RECORD_RUN, &run);
    assert_int_equal(edge_result_write(&writer, EDGE_RECORD_RUN, &run, &message), -EINVAL);
    struct edge_record_end end;
    edge_record_init(EDGE_RECORD_END, &end);
    assert_int_equal(edge_result_write(&writer, EDGE_RECORD_END, &end, &message), 0);
    assert_int_equal(write_sample(&writer, 1, &message), -EINVAL);
    assert_int_equal(edge_result_writer_close(&writer, &message), 0);
    assert_int_equal(edge_result_writer_close(&writer, &message), 0);
    assert_int_equal(write_sample(&writer, 1, &message), -EINVAL);
}

static void open_fails_in_words(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    struct edge_message message;
    char path[128];
    snprintf(path, sizeof(path), "%s/absent/r.jsonl", place->folder);
    assert_int_equal(edge_result_writer_open(&writer, path, &message), -ENOENT);
    assert_non_null(strstr(message.text, "absent/r.jsonl: No such file or directory; create its "
                                         "folder, or choose another one with --results-dir"));
    assert_int_equal(edge_result_writer_close(&writer, &message), 0);

    open_writer(&writer, place->path);
    write_run(&writer);
    assert_int_equal(edge_result_writer_close(&writer, &message), 0);
    assert_int_equal(edge_result_writer_open(&writer, place->path, &message), -EEXIST);
    assert_non_null(strstr(message.text, "holds another run"));

    char long_path[1024];
    memset(long_path, 'a', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    assert_int_equal(edge_result_writer_open(&writer, long_path, &message), -ENAMETOOLONG);
}

static void count_whole_lines(const char *path, size_t *lines, bool *whole)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int last = '\n';
    *lines = 0;
    for (int c = getc(file); c != EOF; c = getc(file)) {
        *lines += c == '\n';
        last = c;
    }
    *whole = last == '\n';
    fclose(file);
}

// A limit on the file's size acts as a disk that fills up: first a short write, then an error.
static void full_disk(void **state)
{
    struct place *place = *state;
    struct edge_result_writer writer;
    struct edge_message message;
    open_writer(&writer, place->path);
    write_run(&writer);

    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {2000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rv = 0;
    size_t written = 0;
    while (rv == 0 && written < 1000) {
        rv = write_sample(&writer, written, &message);
        written += rv == 0;
    }
    struct edge_message again;
    int later = write_sample(&writer, 0, &again);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);

    assert_int_equal(rv, -EFBIG);
    assert_int_equal(later, -EFBIG);
    assert_non_null(strstr(message.text, "what was written before is kept"));
    assert_non_null(strstr(message.text, "--results-dir"));
    size_t lines;
    bool whole;
    count_whole_lines(place->path, &lines, &whole);
    assert_true(whole);
    assert_int_equal(lines, written + 1);

    // With room again, the writer goes on where it was.
    assert_int_equal(write_sample(&writer, 99, &message), 0);
    assert_int_equal(edge_result_writer_close(&writer, &message), 0);
    struct edge_result result;
    assert_int_equal(edge_result_read(place->path, &result, &message), 0);
    assert_int_equal(result.repeats[0].sample_count, written + 1);
    edge_result_free(&result);
}

static void killed(void **state)
{
    struct place *place = *state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct edge_result_writer writer;
        open_writer(&writer, place->path);
        write_run(&writer);
        for (uint64_t i = 0;; i++) {
            if (write_sample(&writer, i, NULL) != 0)
                _exit(1);
            if (i == 100 && write(ready[1], "x", 1) != 1)
                _exit(1);
        }
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);

    // The kernel may stop a killed process's write between two pages of the file: the last line can
    // be cut, and only that.
    struct edge_result result;
    struct edge_message message;
    if (edge_result_read(place->path, &result, &message) != 0)
        fail_msg("%s", message.text);
    assert_true(result.repeats[0].sample_count >= 101);
    assert_false(result.ended);
    assert_int_equal(result.end.valid, EDGE_NO);
    assert_non_null(strstr(result.end.reasons.at[0], "interrupted"));
    edge_result_free(&result);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_back),          TEST(merges_bins),
        TEST(empty_histogram),     TEST(order_is_kept),
        TEST(open_fails_in_words), TEST(first_line_names_the_format),
        TEST(full_disk),           TEST(killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
