import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm ci` starts from nothing each time, which takes longer than the measuring: only when the lock file is newer than
// what was installed by it.
const folder = dirname(fileURLToPath(import.meta.url));
const installed = join(folder, 'node_modules', '.package-lock.json');
const wanted = join(folder, 'package-lock.json');

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
