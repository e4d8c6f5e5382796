/* The C yardstick by itself, for those who want to try it with their own compiler and flags:

       cc -O3 -I src/retick/cli/bench/native benchmarks/fighter.c -o fighter
       python benchmarks/sim.py --payload frames.bin
       ./fighter frames.bin

   It prints the best of twenty passes in nanoseconds a step, and the final checksum. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fighter.h"

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    static uint8_t frames[1 << 24];
    size_t count;
    double best = 0;
    int pass;
    Match match;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: fighter PAYLOAD\n");
        return 2;
    }
    count = fread(frames, 4, sizeof frames / 4, file);
    fclose(file);
    if (count == 0) {
        fprintf(stderr, "fighter: %s holds no frame\n", argv[1]);
        return 2;
    }
    for (pass = 0; pass < 20; pass++) {
        double started = now(), took;
        fighter_reset(&match, 1);
        fighter_run(&match, frames, count);
        took = now() - started;
        if (pass == 0 || took < best)
            best = took;
    }
    printf("%.2f ns a step, checksum 0x%08X after %zu frames\n", best / (double)count, fighter_checksum(&match), count);
    return 0;
}
