/* Preloaded into the server by tests/it/faults.rs: makes the disk, and memory, fail on demand.
 *
 * While the file named by REDIAL_FAULT holds one of these words, calls on the database and its
 * log (paths with ".db" in them, but the shared memory and the lock) fail:
 *   full     every write, with ENOSPC
 *   io       every write, with EIO
 *   sync     every fsync and fdatasync, with EIO
 *   io N     the N-th write from now on, once
 *   sync N   the N-th fsync or fdatasync from now on, once
 *   alloc N  the N-th allocation that SQLite makes from now on, once
 * When an N-th call has failed, there is a file of that name with ".fired" at its end.
 *
 * SQLite's allocations are told from Rust's, whose failure would end the process, by where malloc
 * is called from: REDIAL_SQLITE_MALLOC names the places, as pairs of offset and length in the program,
 * in hex, with blanks between.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether calls of this kind are to fail now; counts them if only the N-th is. */
static int asked_for(const char *word) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char last[32];
    static long calls;
    char found[32] = {0}, fired[4096];
    const char *control = getenv("REDIAL_FAULT");
    if (!control) return 0;
    int file = open(control, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read(file, found, sizeof found - 1);
    close(file);
    size_t length = strlen(word);
    if (got <= 0 || strncmp(found, word, length) != 0) return 0;
    long wanted = strtol(found + length, NULL, 10);
    if (wanted == 0) return 1;
    pthread_mutex_lock(&lock);
    if (strcmp(last, found) != 0) {
        memcpy(last, found, sizeof last);
        calls = 0;
    }
    int fails = ++calls == wanted;
    pthread_mutex_unlock(&lock);
    if (fails) {
        snprintf(fired, sizeof fired, "%s.fired", control);
        int mark = open(fired, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (mark >= 0) close(mark);
    }
    return fails;
}

static int is_database(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".db") && !strstr(path, "-shm") && !strstr(path, ".db.lock");
}

static int write_fails(int fd) {
    if (!is_database(fd)) return 0;
    if (asked_for("full")) { errno = ENOSPC; return 1; }
    if (asked_for("io")) { errno = EIO; return 1; }
    return 0;
}

static int sync_fails(int fd) {
    if (is_database(fd) && asked_for("sync")) { errno = EIO; return 1; }
    return 0;
}

static struct { uintptr_t from, to; } places[8];
static int place_count;

static int of_program(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; /* the program itself comes first */
}

__attribute__((constructor)) static void find_places(void) {
    uintptr_t base = 0;
    const char *text = getenv("REDIAL_SQLITE_MALLOC");
    dl_iterate_phdr(of_program, &base);
    while (text && *text && place_count < 8) {
        char *rest;
        uintptr_t from = strtoull(text, &rest, 16);
        uintptr_t length = strtoull(rest, &rest, 16);
        if (rest == text) return;
        places[place_count].from = base + from;
        places[place_count++].to = base + from + length;
        text = rest;
    }
}

static int allocation_fails(void *caller) {
    for (int i = 0; i < place_count; i++)
        if ((uintptr_t)caller > places[i].from && (uintptr_t)caller <= places[i].to)
            return asked_for("alloc");
    return 0;
}

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size) {
    if (allocation_fails(__builtin_return_address(0))) { errno = ENOMEM; return NULL; }
    return __libc_malloc(size);
}

void *realloc(void *old, size_t size) {
    if (allocation_fails(__builtin_return_address(0))) { errno = ENOMEM; return NULL; }
    return __libc_realloc(old, size);
}

#define REAL(name, type) \
    static __typeof__(type) real; \
    if (!real) real = (__typeof__(type))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL("write", ssize_t (*)(int, const void *, size_t));
    return write_fails(fd) ? -1 : real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    REAL("pwrite", ssize_t (*)(int, const void *, size_t, off_t));
    return write_fails(fd) ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    REAL("pwrite64", ssize_t (*)(int, const void *, size_t, off64_t));
    return write_fails(fd) ? -1 : real(fd, bytes, count, at);
}

int fsync(int fd) {
    REAL("fsync", int (*)(int));
    return sync_fails(fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL("fdatasync", int (*)(int));
    return sync_fails(fd) ? -1 : real(fd);
}
