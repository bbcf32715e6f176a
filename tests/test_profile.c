/* The model: interning and the prefix tree. */
#include "profile/profile.h"

#include <binprof/profile.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    return *state == NULL;
}

static int tear_down(void **state)
{
    binprof_profile_free(*state);
    return 0;
}

static uint32_t intern(binprof_profile *profile, const char *text, size_t length)
{
    uint32_t id;
    assert_int_equal(binprof_profile_intern_string(profile, text, length, &id, NULL), BINPROF_OK);
    return id;
}

static void strings_are_one_by_content(void **state)
{
    binprof_profile *profile = *state;
    assert_int_equal(intern(profile, "a", 1), 0);
    assert_int_equal(intern(profile, "b", 1), 1);
    assert_int_equal(intern(profile, "a\0b", 3), 2);
    assert_int_equal(intern(profile, "", 0), 3);
    assert_int_equal(intern(profile, "a\0c", 3), 4);
    assert_int_equal(intern(profile, "a", 1), 0);
    assert_int_equal(binprof_profile_string_count(profile), 5);
    binprof_string string = binprof_profile_string(profile, 2);
    assert_int_equal(string.length, 3);
    assert_memory_equal(string.text, "a\0b", 4);
}

static void many_strings_stay_where_they_are(void **state)
{
    binprof_profile *profile = *state;
    const uint32_t count = 100000;
    const char **texts = malloc(count * sizeof *texts);
    for (uint32_t i = 0; i < count; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "string %u", i);
        assert_int_equal(intern(profile, text, (size_t)length), i);
        texts[i] = binprof_profile_string(profile, i).text;
    }
    for (uint32_t i = 0; i < count; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "string %u", i);
        assert_int_equal(intern(profile, text, (size_t)length), i);
        assert_ptr_equal(binprof_profile_string(profile, i).text, texts[i]);
        assert_string_equal(texts[i], text);
    }
    free(texts);
}

static void a_string_longer_than_a_block(void **state)
{
    binprof_profile *profile = *state;
    size_t length = 1000000;
    char *text = malloc(length);
    memset(text, 'x', length);
    assert_int_equal(intern(profile, text, length), 0);
    assert_int_equal(intern(profile, "y", 1), 1);
    assert_int_equal(intern(profile, text, length), 0);
    assert_int_equal(intern(profile, text, length - 1), 2);
    free(text);
}

static void frames_are_one_by_all_their_fields(void **state)
{
    binprof_profile *profile = *state;
    (void)intern(profile, "f", 1);
    (void)intern(profile, "g", 1);
    const binprof_frame base = {0, 0, 1, 1, 1, 1, 1};
    binprof_frame variants[8];
    for (size_t i = 0; i < 8; i++)
        variants[i] = base;
    variants[1].filename = 1;
    variants[2].function = 1;
    variants[3].line = -1;
    variants[4].end_line = 2;
    variants[5].column = 2;
    variants[6].end_column = 2;
    variants[7].opcode = 2;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t id;
            assert_int_equal(binprof_profile_intern_frame(profile, &variants[i], &id, NULL),
                             BINPROF_OK);
            assert_int_equal(id, i);
        }
    assert_int_equal(binprof_profile_frame_count(profile), 8);

    binprof_error error;
    uint32_t id;
    binprof_frame wrong = {0, 2, 1, 1, 1, 1, 1};
    assert_int_equal(binprof_profile_intern_frame(profile, &wrong, &id, &error),
                     BINPROF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "string 2"));
}

static void duplicates_are_kept_on_request(void **state)
{
    (void)state;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_KEEP_DUPLICATES);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t id;
        assert_int_equal(intern(profile, "same", 4), i);
        binprof_frame frame = {0, 0, 1, 1, 1, 1, 1};
        assert_int_equal(binprof_profile_intern_frame(profile, &frame, &id, NULL), BINPROF_OK);
        assert_int_equal(id, i);
    }
    binprof_profile_free(profile);
}

/* The naive model: a list of (parent, frame), searched from the start. */
static uint32_t find_node(const binprof_stack *nodes, uint32_t count, uint32_t parent,
                          uint32_t frame)
{
    for (uint32_t i = 1; i < count; i++)
        if (nodes[i].parent == parent && nodes[i].frame == frame)
            return i;
    return count;
}

static void stacks_are_a_prefix_tree(void **state)
{
    binprof_profile *profile = *state;
    (void)intern(profile, "f", 1);
    for (int32_t line = 0; line < 6; line++) {
        binprof_frame frame = {0, 0, line, line, 0, 0, 0};
        uint32_t id;
        assert_int_equal(binprof_profile_intern_frame(profile, &frame, &id, NULL), BINPROF_OK);
    }
    enum { LIMIT = 3000 };
    binprof_stack nodes[LIMIT];
    uint32_t count = 1;
    uint32_t random = 1;
    for (int i = 0; i < 20000 && count < LIMIT; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t parent = (random >> 16) % (random % 3 == 0 ? count : (count < 9 ? count : 9));
        uint32_t frame = (random >> 8) % 6;
        uint32_t expected = find_node(nodes, count, parent, frame);
        if (expected == count)
            nodes[count++] = (binprof_stack){parent, frame};
        uint32_t id;
        assert_int_equal(binprof_profile_intern_stack(profile, parent, frame, &id, NULL),
                         BINPROF_OK);
        assert_int_equal(id, expected);
    }
    assert_int_equal(binprof_profile_stack_count(profile), count);
    for (uint32_t i = 1; i < count; i++) {
        assert_int_equal(binprof_profile_stack(profile, i).parent, nodes[i].parent);
        assert_int_equal(binprof_profile_stacks(profile)[i].frame, nodes[i].frame);
    }
    binprof_error error;
    uint32_t id;
    assert_int_equal(binprof_profile_intern_stack(profile, count, 0, &id, &error),
                     BINPROF_ERROR_ARGUMENT);
    assert_int_equal(binprof_profile_intern_stack(profile, 0, 6, &id, &error),
                     BINPROF_ERROR_ARGUMENT);
}

static void threads_are_one_by_all_ids(void **state)
{
    binprof_profile *profile = *state;
    static const binprof_thread threads[] = {
        {7, 0, 0}, {7, 1, 0}, {8, 0, 0}, {UINT64_MAX, UINT32_MAX, 0}, {0, 0, 0}, {7, 0, 1}};
    const uint32_t count = sizeof threads / sizeof threads[0];
    uint32_t id;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(
                binprof_profile_intern_captured_thread(profile, &threads[i], &id, NULL),
                BINPROF_OK);
            assert_int_equal(id, i);
            binprof_thread thread = binprof_profile_thread(profile, id);
            assert_true(thread.thread_id == threads[i].thread_id);
            assert_int_equal(thread.interpreter_id, threads[i].interpreter_id);
            assert_int_equal(thread.capture, threads[i].capture);
        }
    assert_int_equal(binprof_profile_intern_thread(profile, 7, 1, &id, NULL), BINPROF_OK);
    assert_int_equal(id, 1);
    assert_int_equal(binprof_profile_thread_count(profile), count);
}

static void full_tables_say_so(void **state)
{
    binprof_profile *profile = *state;
    binprof_error error;
    uint32_t id;
    (void)intern(profile, "a", 1);
    binprof_frame frame = {0, 0, 1, 1, 1, 1, 1};
    assert_int_equal(binprof_profile_intern_frame(profile, &frame, &id, NULL), BINPROF_OK);

    uint32_t counts[] = {profile->strings.count, profile->frame_count, profile->stacks.count,
                         profile->thread_count};
    profile->strings.count = PROFILE_ID_LIMIT;
    assert_int_equal(binprof_profile_intern_string(profile, "b", 1, &id, &error),
                     BINPROF_ERROR_LIMIT);
    profile->strings.count = counts[0];
    profile->frame_count = PROFILE_ID_LIMIT;
    frame.line = 2;
    assert_int_equal(binprof_profile_intern_frame(profile, &frame, &id, &error),
                     BINPROF_ERROR_LIMIT);
    profile->frame_count = counts[1];
    profile->thread_count = PROFILE_ID_LIMIT;
    assert_int_equal(binprof_profile_intern_thread(profile, 1, 1, &id, &error),
                     BINPROF_ERROR_LIMIT);
    profile->thread_count = counts[3];
    assert_non_null(strstr(error.message, "threads"));
}

static void lines_for_profilers_with_text(void **state)
{
    binprof_profile *profile = *state;
    uint32_t id;
    assert_int_equal(binprof_profile_intern_line(profile, "a.rb", "work", 3, &id, NULL),
                     BINPROF_OK);
    binprof_frame frame = binprof_profile_frame(profile, id);
    assert_string_equal(binprof_profile_string(profile, frame.filename).text, "a.rb");
    assert_string_equal(binprof_profile_string(profile, frame.function).text, "work");
    assert_int_equal(frame.line, 3);
    assert_int_equal(frame.column, BINPROF_NO_LOCATION);
    assert_int_equal(frame.opcode, BINPROF_NO_OPCODE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(strings_are_one_by_content),     TEST(many_strings_stay_where_they_are),
        TEST(a_string_longer_than_a_block),   TEST(frames_are_one_by_all_their_fields),
        TEST(duplicates_are_kept_on_request), TEST(stacks_are_a_prefix_tree),
        TEST(threads_are_one_by_all_ids),     TEST(full_tables_say_so),
        TEST(lines_for_profilers_with_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
