/* Where the groups lie is told by /proc/self/cgroup (their paths) and /proc/self/mountinfo (where
 * the hierarchies are mounted). Limits of every group from ours up to the mount count. */
#include "engine/base/cgroup.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"

#define PATH_SIZE 4096
#define NO_LIMIT ((int64_t)1 << 60) /* version 1 says "none" by a number just below 2^63 */

/* Files of one controller in one version of the interface. */
struct memory_files {
    const char *limit, *usage, *inactive;
};

static const struct memory_files memory_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                              "total_inactive_file"};
static const struct memory_files memory_v2 = {"memory.max", "memory.current", "inactive_file"};

static bool read_line(const char *dir, const char *name, char *line, size_t size)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "re");
    bool got = f && fgets(line, (int)size, f);
    if (f)
        fclose(f);
    return got;
}

/* A number alone in its file; "max" and a missing file give -1. */
static int64_t read_number(const char *dir, const char *name)
{
    char line[64];
    int64_t v;
    return read_line(dir, name, line, sizeof line) && str_to_i64(str_strip(line), &v) ? v : -1;
}

static int64_t read_stat(const char *dir, const char *key)
{
    char path[PATH_SIZE + 64], line[256], name[64];
    long long value, found = 0;
    snprintf(path, sizeof path, "%s/memory.stat", dir);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%63s %lld", name, &value) == 2 && !strcmp(name, key))
            found = value;
    fclose(f);
    return found;
}

static void take_memory(const char *dir, const struct memory_files *files,
                        struct cgroup_limits *out)
{
    int64_t limit = read_number(dir, files->limit), usage = read_number(dir, files->usage);
    if (limit < 0 || limit >= NO_LIMIT)
        return;
    if (limit < out->mem_total)
        out->mem_total = limit;
    int64_t room = usage < 0 ? limit : limit - usage + read_stat(dir, files->inactive);
    if (room < out->mem_free)
        out->mem_free = room < 0 ? 0 : room;
}

static void take_cpu(double quota, double period, struct cgroup_limits *out)
{
    if (quota > 0 && period > 0 && quota / period < out->cpus)
        out->cpus = quota / period;
}

static void memory_v1_level(const char *dir, struct cgroup_limits *out)
{
    take_memory(dir, &memory_v1, out);
}

static void cpu_v1_level(const char *dir, struct cgroup_limits *out)
{
    take_cpu((double)read_number(dir, "cpu.cfs_quota_us"),
             (double)read_number(dir, "cpu.cfs_period_us"), out);
}

static void v2_level(const char *dir, struct cgroup_limits *out)
{
    char line[64];
    double quota, period;
    take_memory(dir, &memory_v2, out);
    if (!read_line(dir, "cpu.max", line, sizeof line))
        return;
    if (sscanf(line, "%lf %lf", &quota, &period) == 2) /* else "max PERIOD" */
        take_cpu(quota, period, out);
}

/* The hierarchies that matter: how they are found and what one group of them says. */
static const struct hierarchy {
    const char *fs, *controller; /* "" is version 2's one hierarchy */
    void (*level)(const char *dir, struct cgroup_limits *out);
} hierarchies[] = {
    {"cgroup", "cpu", cpu_v1_level},
    {"cgroup", "memory", memory_v1_level},
    {"cgroup2", "", v2_level},
};

/* Is `word` one of the parts between commas? An empty list holds the empty word. */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, word, n) && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

/* Our path in the hierarchy, from a line "ID:CONTROLLERS:PATH". */
static bool find_path(const char *root, const struct hierarchy *h, char path[PATH_SIZE])
{
    char name[PATH_SIZE], line[PATH_SIZE];
    bool found = false;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        char *list = strchr(line, ':'), *place = list ? strchr(list + 1, ':') : NULL;
        if (!place)
            continue;
        *place = '\0';
        found = has_word(list + 1, h->controller);
        str_copy(path, PATH_SIZE, str_strip(place + 1));
    }
    if (f)
        fclose(f);
    return found;
}

/* Where the hierarchy is mounted and which group lies there, from a line
 * "ID PARENT DEV GROUP MOUNT OPTIONS ... - FS SOURCE SUPEROPTIONS". */
static bool find_mount(const char *root, const struct hierarchy *h, char mount[PATH_SIZE],
                       char group[PATH_SIZE])
{
    char name[PATH_SIZE], line[3 * PATH_SIZE], fs[64], options[512];
    bool found = false;
    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", group, mount) != 2 ||
            sscanf(rest, " - %63s %*s %511s", fs, options) != 2)
            continue;
        found = !strcmp(fs, h->fs) && (!*h->controller || has_word(options, h->controller));
    }
    if (f)
        fclose(f);
    return found;
}

static void read_hierarchy(const char *root, const struct hierarchy *h, struct cgroup_limits *out)
{
    char path[PATH_SIZE], mount[PATH_SIZE], group[PATH_SIZE], dir[2 * PATH_SIZE];
    if (!find_path(root, h, path) || !find_mount(root, h, mount, group))
        return;
    /* In a container the mount shows a part of the tree only: the path continues below it. */
    const char *below = str_starts(path, group) ? path + strlen(group) : "";
    int base = snprintf(dir, sizeof dir, "%s%s", root, mount);
    if (*below)
        snprintf(dir + base, sizeof dir - (size_t)base, *below == '/' ? "%s" : "/%s", below);
    for (;;) {
        h->level(dir, out);
        char *slash = strrchr(dir, '/');
        if (!slash || slash < dir + base)
            return;
        *slash = '\0';
    }
}

void cgroup_read(const char *root, struct cgroup_limits *out)
{
    *out = (struct cgroup_limits){HUGE_VAL, INT64_MAX, INT64_MAX};
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++)
        read_hierarchy(root, &hierarchies[i], out);
}
