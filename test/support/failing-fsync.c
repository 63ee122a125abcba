/*
 * fsync and fdatasync that fail with EIO while the file of FAILING_FSYNC exists. For LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int sync_unless_failing(const char *name, int fd) {
  const char *trigger = getenv("FAILING_FSYNC");
  if (trigger != NULL && access(trigger, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return original(fd);
}

int fsync(int fd) { return sync_unless_failing("fsync", fd); }

int fdatasync(int fd) { return sync_unless_failing("fdatasync", fd); }
