/*
 * Records what a process asks of the files in one folder (POWER_FOLDER), with the bytes, in the file POWER_LOG:
 * loaded before libc (LD_PRELOAD). Each call and its record happen behind one lock of all processes, so that the
 * order of the records is the order in which the kernel saw the calls.
 *
 * A record is a head of 32 bytes (kind, length of the name, offset, length of the bytes, of 8 bytes each), the
 * name and the bytes. Kinds: W write, T truncate to `offset`, S sync, C create, U unlink, D sync of the folder,
 * X something that cannot be recorded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

static void fail(const char *why) {
  fprintf(stderr, "record.c: %s: %s\n", why, strerror(errno));
  abort();
}

static void lock(void) {
  pthread_mutex_lock(&threads);
  if (log_file == -1) {
    log_file = REAL(open)(getenv("POWER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_file == -1) fail("cannot open POWER_LOG");
  }
  if (flock(log_file, LOCK_EX) != 0) fail("cannot lock POWER_LOG");
}

static void unlock(void) {
  int before = errno;
  flock(log_file, LOCK_UN);
  pthread_mutex_unlock(&threads);
  errno = before;
}

/* The name within the folder; "" for the folder itself; NULL for what is elsewhere and for shared memory. */
static const char *inside(const char *path) {
  const char *folder = getenv("POWER_FOLDER");
  if (folder == NULL) return NULL;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == '\0') return path + length;
  if (path[length] != '/') return NULL;
  const char *name = path + length + 1;
  size_t end = strlen(name);
  if (end >= 4 && strcmp(name + end - 4, "-shm") == 0) return NULL;
  return name;
}

static const char *name_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int before = errno;
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  errno = before;
  if (length < 0) return NULL;
  path[length] = '\0';
  return inside(path);
}

static void put(const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    ssize_t done = REAL(write)(log_file, next, length);
    if (done < 0) fail("cannot write POWER_LOG");
    next += done;
    length -= (size_t)done;
  }
}

static void record(char kind, const char *name, uint64_t offset, const void *bytes, size_t length) {
  int before = errno;
  uint64_t head[4] = {(uint64_t)kind, strlen(name), offset, length};
  put(head, sizeof head);
  put(name, strlen(name));
  put(bytes, length);
  errno = before;
}

static int open_recorded(const char *symbol, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, symbol);
  const char *name = (flags & (O_CREAT | O_TRUNC)) ? inside(path) : NULL;
  if (name == NULL) return real(path, flags, mode);
  lock();
  int existed = access(path, F_OK) == 0;
  int file = real(path, flags, mode);
  if (file >= 0 && !existed) record('C', name, 0, NULL, 0);
  if (file >= 0 && existed && (flags & O_TRUNC)) record('T', name, 0, NULL, 0);
  unlock();
  return file;
}

#define OPENER(name)                                         \
  int name(const char *path, int flags, ...) {               \
    va_list rest;                                            \
    va_start(rest, flags);                                   \
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, int) : 0; \
    va_end(rest);                                            \
    return open_recorded(#name, path, flags, mode);          \
  }
OPENER(open)
OPENER(open64)

ssize_t write(int file, const void *bytes, size_t length) {
  char path[PATH_MAX];
  const char *name = name_of(file, path);
  if (name == NULL) return REAL(write)(file, bytes, length);
  lock();
  ssize_t done = REAL(write)(file, bytes, length);
  if (done > 0) record('W', name, (uint64_t)(lseek(file, 0, SEEK_CUR) - done), bytes, (size_t)done);
  unlock();
  return done;
}

#define WRITER(name_)                                                            \
  ssize_t name_(int file, const void *bytes, size_t length, off_t offset) {      \
    char path[PATH_MAX];                                                         \
    const char *name = name_of(file, path);                                      \
    if (name == NULL) return REAL(name_)(file, bytes, length, offset);           \
    lock();                                                                      \
    ssize_t done = REAL(name_)(file, bytes, length, offset);                     \
    if (done > 0) record('W', name, (uint64_t)offset, bytes, (size_t)done);      \
    unlock();                                                                    \
    return done;                                                                 \
  }
WRITER(pwrite)
WRITER(pwrite64)

#define TRUNCATER(name_)                                               \
  int name_(int file, off_t size) {                                    \
    char path[PATH_MAX];                                               \
    const char *name = name_of(file, path);                            \
    if (name == NULL) return REAL(name_)(file, size);                  \
    lock();                                                            \
    int failed = REAL(name_)(file, size);                              \
    if (failed == 0) record('T', name, (uint64_t)size, NULL, 0);       \
    unlock();                                                          \
    return failed;                                                     \
  }
TRUNCATER(ftruncate)
TRUNCATER(ftruncate64)

#define SYNCER(name_)                                                                \
  int name_(int file) {                                                              \
    char path[PATH_MAX];                                                             \
    const char *name = name_of(file, path);                                          \
    if (name == NULL) return REAL(name_)(file);                                      \
    lock();                                                                          \
    int failed = REAL(name_)(file);                                                  \
    if (failed == 0) record(name[0] == '\0' ? 'D' : 'S', name, 0, NULL, 0);          \
    unlock();                                                                        \
    return failed;                                                                   \
  }
SYNCER(fsync)
SYNCER(fdatasync)

int unlink(const char *path) {
  const char *name = inside(path);
  if (name == NULL) return REAL(unlink)(path);
  lock();
  int failed = REAL(unlink)(path);
  if (failed == 0) record('U', name, 0, NULL, 0);
  unlock();
  return failed;
}

/* What follows would change a file unseen. The engine does none of it; were that to change, the test says so. */
static void unseen(const char *name) {
  if (name == NULL) return;
  lock();
  record('X', name, 0, NULL, 0);
  unlock();
}

#define MAPPER(name_)                                                                              \
  void *name_(void *address, size_t length, int protection, int flags, int file, off_t offset) {   \
    char path[PATH_MAX];                                                                           \
    if (file >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE)) unseen(name_of(file, path)); \
    return REAL(name_)(address, length, protection, flags, file, offset);                          \
  }
MAPPER(mmap)
MAPPER(mmap64)

ssize_t writev(int file, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  unseen(name_of(file, path));
  return REAL(writev)(file, parts, count);
}

#define VECTOR_WRITER(name_)                                                       \
  ssize_t name_(int file, const struct iovec *parts, int count, off_t offset) {    \
    char path[PATH_MAX];                                                           \
    unseen(name_of(file, path));                                                   \
    return REAL(name_)(file, parts, count, offset);                                \
  }
VECTOR_WRITER(pwritev)
VECTOR_WRITER(pwritev64)

int rename(const char *from, const char *to) {
  unseen(inside(to));
  return REAL(rename)(from, to);
}
