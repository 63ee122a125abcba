import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The peers need Node 22.13 or later, the root only 20.19. The package of Node's binary saves installing one, and all
// who run this on Linux measure on the same line of Node.
const folder = dirname(fileURLToPath(import.meta.url));
const installed = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isRecent = major > 22 || (major === 22 && minor >= 13);

if (existsSync(installed) || isRecent) {
  const node = existsSync(installed) ? installed : process.execPath;
  const main = join(folder, '.build', 'main.js');
  const { status } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  console.error('Run this with Node 22.13 or later: there is no package of Node 24 for this system.');
  process.exitCode = 1;
}
