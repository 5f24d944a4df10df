/* Loaded into gemicro by `cargo xtask faults` (LD_PRELOAD): makes one write to the store, or the clock, go wrong.
 *
 * FAULTS_FOLDER   files and Unix sockets below this folder are the store
 * FAULTS_DO       kill: ends the process with SIGKILL before write FAULTS_AT
 *                 torn: writes half of it, then SIGKILL
 *                 commit: SIGKILL right after sync FAULTS_AT (after a message to the server, for a socket)
 *                 full: no space left from write FAULTS_AT on
 *                 clock: the time of day jumps by FAULTS_SHIFT seconds at write FAULTS_AT
 *                 count: nothing; at exit, FAULTS_COUNT gets the numbers of writes and syncs
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum action { NOTHING, KILL, TORN, COMMIT, FULL, CLOCK, COUNT };

static enum action action;
static char folder[4096], count_file[4096];
static size_t folder_length;
static long at, shift;
static atomic_long n_writes, n_syncs;

static void copy(char *to, const char *name) {
    const char *value = getenv(name);
    snprintf(to, 4096, "%s", value ? value : "");
}

__attribute__((constructor)) static void begin(void) {
    static const char *names[] = {"", "kill", "torn", "commit", "full", "clock", "count"};
    char wanted[4096], number[4096];
    copy(wanted, "FAULTS_DO");
    copy(folder, "FAULTS_FOLDER");
    copy(count_file, "FAULTS_COUNT");
    copy(number, "FAULTS_AT");
    at = atol(number);
    copy(number, "FAULTS_SHIFT");
    shift = atol(number);
    folder_length = strlen(folder);
    /* Only this process: agents, git and parsers that it starts are not disturbed. */
    unsetenv("LD_PRELOAD");
    for (int i = KILL; i <= COUNT; i++)
        if (folder_length && !strcmp(wanted, names[i])) action = i;
}

__attribute__((destructor)) static void end(void) {
    if (action != COUNT) return;
    FILE *file = fopen(count_file, "w");
    if (!file) return;
    fprintf(file, "%ld %ld\n", atomic_load(&n_writes), atomic_load(&n_syncs));
    fclose(file);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

enum place { ELSEWHERE, STORE_FILE, SERVER };

static enum place place(int fd) {
    if (action == NOTHING) return ELSEWHERE;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return ELSEWHERE;
    path[length] = 0;
    if (!strncmp(path, folder, folder_length)) return STORE_FILE;
    if (strncmp(path, "socket:", 7)) return ELSEWHERE;
    struct sockaddr_un peer = {0};
    socklen_t size = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &size) || peer.sun_family != AF_UNIX) return ELSEWHERE;
    return strncmp(peer.sun_path, folder, folder_length) ? ELSEWHERE : SERVER;
}

/* What happens to a write; `half` writes the first half of it. */
#define WRITE(real, half)                                                                                             \
    enum place where = place(fd);                                                                                     \
    if (where == ELSEWHERE) return real;                                                                              \
    long number = atomic_fetch_add(&n_writes, 1) + 1;                                                                 \
    if (action == KILL && number == at) die();                                                                        \
    if (action == TORN && number == at) {                                                                             \
        if (half < 0) errno = EIO;                                                                                    \
        die();                                                                                                        \
    }                                                                                                                 \
    if (action == FULL && number >= at && where == STORE_FILE) {                                                      \
        errno = ENOSPC;                                                                                               \
        return -1;                                                                                                    \
    }                                                                                                                 \
    ssize_t done = real;                                                                                              \
    if (where == SERVER && atomic_fetch_add(&n_syncs, 1) + 1 == at && action == COMMIT) die();                        \
    return done;

#define REAL(name) ((__typeof__(&name))real_function(#name))

static void *real_function(const char *name) { return dlsym(RTLD_NEXT, name); }

ssize_t write(int fd, const void *from, size_t size) {
    __typeof__(&write) real = REAL(write);
    WRITE(real(fd, from, size), real(fd, from, size / 2))
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset) {
    __typeof__(&pwrite) real = REAL(pwrite);
    WRITE(real(fd, from, size, offset), real(fd, from, size / 2, offset))
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t offset) {
    __typeof__(&pwrite64) real = REAL(pwrite64);
    WRITE(real(fd, from, size, offset), real(fd, from, size / 2, offset))
}

ssize_t send(int fd, const void *from, size_t size, int flags) {
    __typeof__(&send) real = REAL(send);
    WRITE(real(fd, from, size, flags), real(fd, from, size / 2, flags))
}

ssize_t writev(int fd, const struct iovec *from, int n) {
    __typeof__(&writev) real = REAL(writev);
    WRITE(real(fd, from, n), real(fd, from, n / 2))
}

static int synced(int fd, int done) {
    if (place(fd) == STORE_FILE && atomic_fetch_add(&n_syncs, 1) + 1 == at && action == COMMIT) die();
    return done;
}

int fsync(int fd) { return synced(fd, REAL(fsync)(fd)); }

int fdatasync(int fd) { return synced(fd, REAL(fdatasync)(fd)); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(&clock_gettime) real;
    if (!real) real = REAL(clock_gettime);
    int result = real(clock, now);
    if (action == CLOCK && clock == CLOCK_REALTIME && atomic_load(&n_writes) >= at) now->tv_sec += shift;
    return result;
}
