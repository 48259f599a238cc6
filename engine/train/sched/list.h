/* Every schedule class, sorted: X(name) stands for `sched_name` in name.c. No include guard. */
X(constant)
X(linear)
