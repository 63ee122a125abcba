import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate file system that can be filled. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  free(): void;
  /** Files opened later are read-only; open ones stay writable. */
  makeReadOnly(): void;
  makeWritable(): void;
  close(): void;
}

const mount = (...args: readonly string[]) => execFileSync('mount', args, { stdio: 'pipe' });

const umount = (...args: readonly string[]) => execFileSync('umount', args, { stdio: 'pipe' });

/** Needs root on Linux. */
export const openSmallDisk = (megabytes: number): SmallDisk => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-disk-'));
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  // A killed test run does not close the disk. The shell then reads the end of its input.
  const script = 'read -r _; umount -l -A "$0" 2>/dev/null; rmdir "$0"';
  const guard = spawn('sh', ['-c', script, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(64 * 1024));
      } catch (error) {
        // Expected once the last write has filled the disk.
        if (statfsSync(folder).bavail > 0) throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    makeReadOnly: () => {
      mount('--bind', folder, folder);
      mount('-o', 'remount,bind,ro', folder);
    },
    makeWritable: () => umount('-l', folder),
    close: () => {
      umount('-l', '--all-targets', folder);
      rmdirSync(folder);
      guard.kill('SIGKILL');
    },
  };
};

/** Whether this machine allows mounts: Linux, as root. */
export const smallDisksAvailable = (): boolean => {
  try {
    openSmallDisk(1).close();
    return true;
  } catch {
    return false;
  }
};
