/*
 * Runs a fuzz target without libFuzzer: each file given, whole, cut short and with bytes changed,
 * and all files of each folder given, so that a compiler without libFuzzer still tests every
 * target. Prints TAP, a subtest a file or folder; a crash stops it before its plan.
 */
#include "target.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANTS  200u          /* changed copies of a file; keeps a target within a few seconds */
#define NOISE_MAX 256u          /* bytes of an input that is random alone */
#define FILE_MAX  (1u << 20)    /* bytes; a seed is small */
#define SEED      UINT64_C(200) /* the same variants in every run */

/* splitmix64: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators". */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Hands the target a copy of exactly `size` bytes, so that the sanitizer sees a read past the
 * end. */
static bool run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return false;
    if (size > 0)
        memcpy(copy, data, size);
    fuzz_call(copy, size);
    free(copy);
    return true;
}

static bool run_variants(uint8_t *data, size_t size)
{
    uint64_t state = SEED;
    bool good = run_copy(data, size) && run_copy(data, 0);
    for (unsigned i = 0; good && size > 0 && i < VARIANTS; i++) {
        size_t at = (size_t)(next_random(&state) % size);
        uint8_t kept = data[at];
        data[at] = (uint8_t)next_random(&state);
        good = run_copy(data, i % 4 == 0 ? at + 1 : size);
        data[at] = kept;
    }
    return good;
}

static bool run_file(const char *path, bool (*run)(uint8_t *data, size_t size))
{
    bool good = false;
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(FILE_MAX);
    if (file == NULL || data == NULL)
        goto out;
    size_t size = fread(data, 1, FILE_MAX, file);
    if (!ferror(file))
        good = run(data, size);
out:
    free(data);
    if (file != NULL)
        fclose(file);
    return good;
}

static bool run_whole(uint8_t *data, size_t size)
{
    return run_copy(data, size);
}

static bool run_path(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool good = true;
    if (dir == NULL)
        return run_file(path, run_variants);
    while (good && (entry = readdir(dir)) != NULL) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        good = entry->d_name[0] == '.' || run_file(name, run_whole);
    }
    closedir(dir);
    return good;
}

static bool run_noise(void)
{
    uint8_t noise[NOISE_MAX];
    uint64_t state = SEED;
    bool good = true;
    for (unsigned i = 0; good && i < VARIANTS; i++) {
        size_t size = (size_t)(next_random(&state) % (NOISE_MAX + 1));
        for (size_t k = 0; k < size; k++)
            noise[k] = (uint8_t)next_random(&state);
        good = run_copy(noise, size);
    }
    return good;
}

static void report(bool good, int number, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", number, name);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    fuzz_choose(argc, argv);
    for (int i = 2; i < argc; i++) { /* targets may enter a folder of their own */
        char *path = realpath(argv[i], NULL);
        argv[i] = path != NULL ? path : argv[i];
    }
    report(run_noise(), 1, "random bytes");
    for (int i = 2; i < argc; i++)
        report(run_path(argv[i]), i, argv[i]);
    printf("1..%d\n", argc - 1);
    return 0;
}
