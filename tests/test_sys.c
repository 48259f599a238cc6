/* Cores, memory and control groups of this machine and of made-up ones; clocks; locale. */
#include "tests/support.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/cgroup.h"
#include "engine/base/file.h"
#include "engine/base/sys.h"

#define GIB ((int64_t)1 << 30)

/* A file of a made-up machine, with its folders. */
static void put(const char *root, const char *path, const char *text)
{
    const char *whole = test_path_in(root, path);
    char *dir = file_dir(whole);
    assert_int_equal(file_mkdirs(dir, NULL), 0);
    test_write_file(dir, file_base(whole), text);
    free(dir);
}

static struct cgroup_limits limits_of(const char *root)
{
    struct cgroup_limits limits;
    cgroup_read(root, &limits);
    return limits;
}

static void assert_no_limits(const char *root)
{
    struct cgroup_limits l = limits_of(root);
    assert_true(isinf(l.cpus) && l.mem_total == INT64_MAX && l.mem_free == INT64_MAX);
}

/* Version 2: the tighter of two levels counts, for each limit by itself. */
static void test_cgroup2(void **state)
{
    (void)state;
    const char *root = test_temp_dir();
    assert_no_limits(root);
    put(root, "proc/self/cgroup", "0::/user.slice/job\n");
    put(root, "proc/self/mountinfo",
        "22 1 0:20 / /proc rw - proc proc rw\n"
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    assert_no_limits(root);
    put(root, "sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
    put(root, "sys/fs/cgroup/user.slice/job/memory.max", "4294967296\n");
    put(root, "sys/fs/cgroup/user.slice/job/memory.current", "3221225472\n");
    put(root, "sys/fs/cgroup/user.slice/job/memory.stat",
        "anon 5\nactive_file 7\ninactive_file 1073741824\n");
    struct cgroup_limits l = limits_of(root);
    assert_true(isinf(l.cpus));
    assert_true(l.mem_total == 4 * GIB && l.mem_free == 2 * GIB);

    put(root, "sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
    put(root, "sys/fs/cgroup/user.slice/memory.max", "8589934592\n");
    put(root, "sys/fs/cgroup/user.slice/memory.current", "8589934593\n");
    l = limits_of(root);
    assert_close(l.cpus, 1.5, 0, 0);
    assert_true(l.mem_total == 4 * GIB && l.mem_free == 0);
}

/* In a container the mount shows only the part of the tree below the group of the container. */
static void test_cgroup2_container(void **state)
{
    (void)state;
    const char *root = test_temp_dir();
    put(root, "proc/self/cgroup", "0::/docker/4f/job\n");
    put(root, "proc/self/mountinfo",
        "30 23 0:26 /docker/4f /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    put(root, "sys/fs/cgroup/job/memory.max", "2147483648\n");
    put(root, "sys/fs/cgroup/cpu.max", "300000 100000\n");
    struct cgroup_limits l = limits_of(root);
    assert_close(l.cpus, 3, 0, 0);
    assert_true(l.mem_total == 2 * GIB && l.mem_free == 2 * GIB);
}

static void test_cgroup1(void **state)
{
    (void)state;
    const char *root = test_temp_dir();
    put(root, "proc/self/cgroup", "5:memory:/a/b\n4:cpu,cpuacct:/c\n3:cpuset:/\n0::/\n");
    put(root, "proc/self/mountinfo",
        "33 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "35 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "50000\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put(root, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put(root, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5\n");
    struct cgroup_limits l = limits_of(root);
    assert_close(l.cpus, 0.5, 0, 0);
    assert_true(l.mem_total == INT64_MAX && l.mem_free == INT64_MAX);

    put(root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3221225472\n");
    put(root, "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "2147483648\n");
    put(root, "sys/fs/cgroup/memory/a/memory.stat",
        "inactive_file 1\ntotal_inactive_file 1073741824\n");
    l = limits_of(root);
    assert_true(l.mem_total == 3 * GIB && l.mem_free == 2 * GIB);
}

static void test_this_machine(void **state)
{
    (void)state;
    assert_in_range(sys_cpus(), 1, 1 << 20);
    assert_true(sys_cpus() <= sysconf(_SC_NPROCESSORS_CONF));
    assert_true(sys_mem_free() > 0 && sys_mem_free() <= sys_mem_total());
    assert_true(sys_rss() > 4096 && sys_rss() <= sys_rss_peak());
    assert_true(sys_disk_free(test_temp_dir()) > 0);
    assert_int_equal(sys_disk_free("/none/such"), -1);
    double now = sys_now(), cpu = sys_cpu_seconds();
    assert_true(sys_now() >= now && sys_cpu_seconds() >= cpu && cpu > 0);
    assert_close((double)sys_unix(), sys_unix_f(), 0, 2);
}

static void test_threads(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int threads; /* 0: unusable */
    } cases[] = {{"3", 3}, {"5,2", 5}, {" 4 ", 4},  {"4096", 4096}, {"0", 0}, {"-1", 0},
                 {"x", 0}, {"2x", 0},  {"4097", 0}, {"1e1", 0},     {",2", 0}};
    char warning[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("OMP_NUM_THREADS", cases[i].text, 1);
        int n = sys_threads(0, warning, sizeof warning);
        assert_int_equal(n, cases[i].threads ? cases[i].threads : sys_cpus());
        assert_int_equal(warning[0] != '\0', cases[i].threads == 0);
        assert_int_equal(sys_threads(7, warning, sizeof warning), 7);
        assert_string_equal(warning, "");
    }
    setenv("OMP_NUM_THREADS", "many\x1b", 1);
    sys_threads(0, warning, sizeof warning);
    assert_non_null(
        strstr(warning, "OMP_NUM_THREADS=many^[ (a whole number from 1 to 4096): using"));
    assert_int_equal(sys_threads(0, NULL, 0), sys_cpus());
    setenv("OMP_NUM_THREADS", "", 1);
    assert_int_equal(sys_threads(0, warning, sizeof warning), sys_cpus());
    assert_string_equal(warning, "");
    unsetenv("OMP_NUM_THREADS");
}

/* In a child, because a process has one locale. */
static bool locale_is_utf8(const char *name)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LC_ALL", name, 1);
        bool utf8 = sys_locale();
        _exit(strcmp(setlocale(LC_NUMERIC, NULL), "C") ? 99 : utf8);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status);
}

static void test_locale(void **state)
{
    (void)state;
    assert_true(locale_is_utf8("C.UTF-8"));
    assert_false(locale_is_utf8("C"));
    assert_true(locale_is_utf8("xx_YY.ISO-8859-1")); /* not installed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cgroup2), cmocka_unit_test(test_cgroup2_container),
        cmocka_unit_test(test_cgroup1), cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests_name("sys", tests, NULL, NULL);
}
