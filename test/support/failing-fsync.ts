import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Makes the disk writes of a process fail. */
export interface FailingFsync {
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string>>;
  begin(): void;
  end(): void;
  /** Removes the library after the process has ended. */
  close(): void;
}

const source = fileURLToPath(new URL('failing-fsync.c', import.meta.url));

/** Needs Linux and a C compiler. */
export const makeFailingFsync = (): FailingFsync => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-fsync-'));
  // A server runs as another user.
  chmodSync(folder, 0o755);
  const close = () => rmSync(folder, { recursive: true, force: true });
  const [library, trigger] = [join(folder, 'failing-fsync.so'), join(folder, 'fail')];
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    close();
    throw error;
  }
  return {
    env: { LD_PRELOAD: library, FAILING_FSYNC: trigger },
    begin: () => writeFileSync(trigger, ''),
    end: () => rmSync(trigger, { force: true }),
    close,
  };
};

/** Whether this machine is Linux with a C compiler. */
export const failingFsyncAvailable = (): boolean => {
  if (process.platform !== 'linux') return false;
  try {
    makeFailingFsync().close();
    return true;
  } catch {
    return false;
  }
};
