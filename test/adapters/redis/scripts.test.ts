import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptsModule } from '../../../.ci/lua.js';

test('the module of the scripts is what `npm run lua` makes of the Lua files', () => {
  const module = new URL('../../../adapters/redis/scripts.ts', import.meta.url);
  expect(readFileSync(module, 'utf8')).toBe(scriptsModule());
});
