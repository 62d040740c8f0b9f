// Results when memory runs out: written, read back, shown.
#include "cmocka_headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "report/command.h"
#include "result/reader.h"
#include "result/writer.h"

#define FIXTURES EDGE_SOURCE_DIR "/tests/data/results/"
#define RESULT   FIXTURES "fixture_power/fixture_a.fixture_payload.FixtureCall.jsonl"

static char path[] = "/tmp/edge_fault_XXXXXX";
static int null_fd;

static int write_records(struct edge_result_writer *writer, struct edge_message *message)
{
    static const enum edge_record_type types[] = {EDGE_RECORD_BUILD,  EDGE_RECORD_BOARD,
                                                  EDGE_RECORD_OPT,    EDGE_RECORD_SYNC,
                                                  EDGE_RECORD_SAMPLE, EDGE_RECORD_COUNT};
    struct edge_record_run run;
    edge_record_init(EDGE_RECORD_RUN, &run);
    run.repeats = 1;
    int error = edge_result_write(writer, EDGE_RECORD_RUN, &run, message);
    for (size_t i = 0; error == 0 && i < sizeof(types) / sizeof(types[0]); i++) {
        union {
            struct edge_record_board board;
            struct edge_record_sample sample;
            char bytes[8192];
        } record;
        edge_record_init(types[i], &record);
        error = edge_result_write(writer, types[i], &record, message);
    }
    return error;
}

static int write_histogram(struct edge_result_writer *writer, struct edge_message *message)
{
    struct edge_histogram histogram;
    int error = edge_histogram_init(&histogram);
    if (error < 0)
        return error;
    for (uint64_t value = 1; value < 1000000; value += 997)
        edge_histogram_record(&histogram, value);
    error = edge_result_write_histogram(writer, 1, "service", &histogram, message);
    edge_histogram_free(&histogram);
    return error;
}

static int write_path(void)
{
    struct edge_result_writer writer;
    struct edge_message message = {""};
    unlink(path);
    int error = edge_result_writer_open(&writer, path, &message);
    if (error == 0)
        error = write_records(&writer, &message);
    if (error == 0)
        error = write_histogram(&writer, &message);
    int closed = edge_result_writer_close(&writer, &message);
    return error < 0 ? error : closed;
}

static int read_path(void)
{
    struct edge_result result;
    struct edge_message message = {""};
    int error = edge_result_read(RESULT, &result, &message);
    assert_true(error == 0 || message.text[0] != '\0');
    if (error == 0)
        assert_true(result.repeat_count > 0);
    edge_result_free(&result);
    return error;
}

static const char *format;

// A command prints to stdout, and says what failed by its exit code.
static int report_path(void)
{
    char *argv[] = {"report", "--format", (char *)(uintptr_t)format,
                    (char *)(uintptr_t)(FIXTURES "fixture_power"), NULL};
    fflush(stdout);
    int stdout_fd = dup(STDOUT_FILENO), stderr_fd = dup(STDERR_FILENO);
    assert_int_equal(dup2(null_fd, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(dup2(null_fd, STDERR_FILENO), STDERR_FILENO);
    int exit_code = edge_report_command(4, argv);
    fflush(stdout);
    assert_int_equal(dup2(stdout_fd, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(dup2(stderr_fd, STDERR_FILENO), STDERR_FILENO);
    close(stdout_fd);
    close(stderr_fd);
    assert_true(exit_code == EDGE_EXIT_OK || exit_code == EDGE_EXIT_FAILED);
    return -exit_code;
}

static void writer(void **state)
{
    (void)state;
    fault_each_allocation(write_path, 150);
}

static void reader(void **state)
{
    (void)state;
    fault_each_allocation(read_path, 400);
}

static void report(void **state)
{
    (void)state;
    static const char *const formats[] = {"table", "csv", "markdown", "json", "html"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        format = formats[i];
        fault_each_allocation(report_path, 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writer), cmocka_unit_test(reader),
                                       cmocka_unit_test(report)};
    int fd = mkstemp(path);
    null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || null_fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
