import { execFile } from 'node:child_process';

/** Runs a program to its end and returns its output; if it fails, the error contains the output. */
export function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`));
    });
  });
}

export const runNode = (args: readonly string[], cwd: string): Promise<string> =>
  run(process.execPath, args, cwd);
