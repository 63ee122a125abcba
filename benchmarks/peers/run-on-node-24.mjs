import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const modules = join(folder, 'node_modules');

/** Runs it to its end, and ends with it if it fails. */
const run = (command, args, options = {}) => {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
};

// `npm ci` starts from nothing each time, which takes longer than the measuring: only when the lock
// file is newer than what was installed by it.
const installed = join(modules, '.package-lock.json');
if (
  !existsSync(installed) ||
  statSync(installed).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs
) {
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
}

// The peers need Node 22.13 or later, the root only 20.19. The package of Node's binary saves
// installing one, and all who run this on Linux measure on the same line of Node.
const node24 = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isRecent = major > 22 || (major === 22 && minor >= 13);

const [, , program = '', ...args] = process.argv;
if (existsSync(node24) || isRecent) {
  run(existsSync(node24) ? node24 : process.execPath, [
    join(folder, '.build', `${program}.js`),
    ...args,
  ]);
} else {
  console.error(
    'Run this with Node 22.13 or later: there is no package of Node 24 for this system.',
  );
  process.exitCode = 1;
}
