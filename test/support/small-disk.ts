import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, which can be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room there is. */
  fill(): void;
  /** Gives the room back. */
  free(): void;
  /** What is opened from now on cannot be written to; what is open already can. */
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
  // A test run may be killed before it has closed the disk; the shell then sees its input end.
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
        // The last write took what was left.
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

/** Whether this machine lets us have disks: Linux, as root. */
export const smallDisksAvailable = (): boolean => {
  try {
    openSmallDisk(1).close();
    return true;
  } catch {
    return false;
  }
};
