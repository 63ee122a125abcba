import { readFileSync } from 'node:fs';

const FOLDER = 'benchmarks/peers/node_modules';

const names = ['@mastra/redis', '@mastra/core', 'connect-redis', 'express-session', 'redis', 'ioredis', '@google/adk'];

/** Of all that this project has installed for itself, from the root's folder. */
export const versions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.map((name) => {
      const { version }: { readonly version: string } = JSON.parse(
        readFileSync(`${FOLDER}/${name}/package.json`, 'utf8'),
      );
      return [name, version];
    }),
  );
