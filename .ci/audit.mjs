// Fails on known vulnerabilities of high severity and above, in what users get and in what we
// develop with. If the registry cannot be reached, it says so, and fails in CI only. Usage: node
// .ci/audit.mjs
import { spawnSync } from 'node:child_process';

const scopes = [
  { what: 'what users get', args: ['--omit=dev'] },
  { what: 'everything', args: [] },
];

for (const { what, args } of scopes) {
  const { stdout } = spawnSync('npm', ['audit', '--json', '--audit-level=high', ...args], {
    encoding: 'utf8',
  });
  const answer = parse(stdout);
  const found = answer.metadata?.vulnerabilities;
  if (found === undefined) {
    console.error(
      `${what}: not audited, for the registry gave no answer: ${answer.message ?? 'unreadable'}`,
    );
    if (process.env.CI) process.exitCode = 1;
    continue;
  }
  const counts = ['critical', 'high', 'moderate', 'low'].map((level) => `${found[level]} ${level}`);
  console.log(`${what}: ${counts.join(', ')}`);
  for (const { name, severity } of Object.values(answer.vulnerabilities ?? {}))
    console.log(`  ${name}: ${severity}`);
  if (found.critical + found.high > 0) process.exitCode = 1;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
