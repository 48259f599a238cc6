/* How long OpenMP's idle threads wait awake. */
#include "engine/backend/cpu/cpu.h"

#include <stdlib.h>

/* About 50 microseconds: longer than the gaps between the kernels of a step, shorter than what
 * another program on the same cores would miss. libgomp's own choice is 300000. */
#define SPINS "1000"

bool openmp_spin_briefly(void)
{
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return false;
    return setenv("GOMP_SPINCOUNT", SPINS, 1) == 0;
}
