import { join } from 'node:path';
import { root } from './documents.js';

const sources: Readonly<Record<string, string>> = {
  colloquy: 'src/index.ts',
  'colloquy/memory': 'adapters/memory/index.ts',
  'colloquy/redis': 'adapters/redis/index.ts',
  'colloquy/sqlite': 'adapters/sqlite/index.ts',
  'colloquy/postgres': 'adapters/postgres/index.ts',
  'colloquy/http': 'src/http/index.ts',
  'colloquy/client': 'src/client/index.ts',
  'colloquy/node': 'adapters/node/index.ts',
  'colloquy/express': 'adapters/express/index.ts',
  'colloquy/koa': 'adapters/koa/index.ts',
  'colloquy/fetch': 'adapters/fetch/index.ts',
  'colloquy/inspector': 'src/inspector/index.ts',
  'colloquy/inversify': 'src/inversify/index.ts',
  'colloquy/telemetry': 'src/telemetry/index.ts',
  'colloquy/openai-agents': 'adapters/openai-agents/index.ts',
  'colloquy/claude-agent': 'adapters/claude-agent/index.ts',
  'colloquy/ai-sdk': 'adapters/ai-sdk/index.ts',
  'colloquy/openapi': 'src/openapi/index.ts',
  'colloquy/simulation': 'src/simulation/index.ts',
  'colloquy/testing': 'src/testing/index.ts',
};

/**
 * What users import, and the source after it: samples are tried on what stands here, not on an
 * older build.
 */
export const entries: ReadonlyMap<string, string> = new Map(
  Object.entries(sources).map(([name, path]) => [name, join(root, path)]),
);
