// The reference of the command line, from its own help.
import { spawnSync } from 'node:child_process';

const helpOf = (...args: readonly string[]): string => {
  const run = ['--import', './.ci/sources.mjs', 'src/cli/main.ts', ...args, '--help'];
  const { stdout, status } = spawnSync(process.execPath, run, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`colloquy ${args.join(' ')} --help failed`);
  return stdout.trim();
};

export const cliReference = (): string => {
  const commands = ['serve', 'list', 'inspect'].map(
    (name) => `## ${name}\n\n\`\`\`text\n${helpOf(name)}\n\`\`\``,
  );
  const start =
    'Serve, list and inspect sessions from a shell, with `npx colloquy`. What follows is what `--help` prints.';
  return `${['# Command line', start, `\`\`\`text\n${helpOf()}\n\`\`\``, ...commands].join('\n\n')}\n`;
};
