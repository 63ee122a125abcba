import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { vi } from 'vitest';
import { root } from './documents.js';
import { entries } from './entries.js';
import type { Sample } from './samples.js';

/**
 * A folder of samples that can be imported, since they find the packages of this repository from
 * there.
 */
export class SampleFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'colloquy-documents-'));
  #files = 0;

  constructor() {
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'), 'dir');
    writeFileSync(join(this.path, 'package.json'), '{"type":"module"}');
  }

  /**
   * Runs a sample unchanged, but with the sources and the Redis of the tests. Returns what it
   * exports.
   */
  async run(sample: Sample, redisUrl = ''): Promise<unknown> {
    return import(/* @vite-ignore */ pathToFileURL(this.write(sample, redisUrl)).href);
  }

  /** Writes a sample as `run` runs it. Returns the file. */
  write({ code }: Sample, redisUrl = '', name = `sample-${this.#files}.ts`): string {
    const file = join(this.path, name);
    this.#files += 1;
    const runnable = code
      .replace(
        /from '(colloquy(?:\/[\w-]+)?)'/g,
        (_, name: string) => `from '${entries.get(name) ?? name}'`,
      )
      .replace(/redis:\/\/[\d.:]+/g, redisUrl);
    writeFileSync(file, runnable);
    return file;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** What samples print, in lines. */
export const listenToConsole = (): readonly string[] => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
    lines.push(
      values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '),
    );
  });
  return lines;
};

const onFreePort = (given: unknown): unknown => {
  if (typeof given === 'number') return 0;
  return typeof given === 'object' && given !== null && 'port' in given
    ? { ...given, port: 0 }
    : given;
};

/** The servers that samples start: on any free port in place of the one that they name. */
export const collectServers = (): readonly Server[] => {
  const servers: Server[] = [];
  const { listen } = Server.prototype;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (
    this: Server,
    ...given: unknown[]
  ) {
    servers.push(this);
    const [port, ...more] = given;
    Reflect.apply(listen, this, [onFreePort(port), ...more]);
    return this;
  });
  return servers;
};
