/* A browser has no other programs: what starts one (the viewer, from a lesson) is refused. */
#include <errno.h>
#include <spawn.h>

int posix_spawn(pid_t *restrict child, const char *restrict path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const *restrict arguments,
                char *const *restrict environment)
{
    (void)child, (void)path, (void)actions, (void)attributes, (void)arguments, (void)environment;
    return ENOSYS;
}
