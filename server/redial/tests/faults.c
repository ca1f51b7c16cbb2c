/* Preloaded into the server by tests/it/faults.rs: makes the disk fail on demand.
 *
 * While the file named by REDIAL_FAULT holds one of these words, calls on the database and its
 * log (paths with ".db" in them, the shared-memory file aside) fail:
 *   full  every write, with ENOSPC
 *   io    every write, with EIO
 *   sync  every fsync and fdatasync, with EIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int asked_for(int fd, const char *word) {
    char link[64], path[4096], found[16] = {0};
    const char *control = getenv("REDIAL_FAULT");
    if (!control) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, ".db") || strstr(path, "-shm")) return 0;
    int file = open(control, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read(file, found, sizeof found - 1);
    close(file);
    return got > 0 && strncmp(found, word, strlen(word)) == 0;
}

static int write_fails(int fd) {
    if (asked_for(fd, "full")) { errno = ENOSPC; return 1; }
    if (asked_for(fd, "io")) { errno = EIO; return 1; }
    return 0;
}

static int sync_fails(int fd) {
    if (asked_for(fd, "sync")) { errno = EIO; return 1; }
    return 0;
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
