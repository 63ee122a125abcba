/*
 * Writes `adapters/redis/scripts.ts` from the Lua files in `adapters/redis/scripts/`, without comments and indentation:
 * so the sources load in every tool without a loader. A test fails if the two differ.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../adapters/redis/scripts/', import.meta.url);

const shorten = (lua: string): string =>
  lua
    .replace(/^--\[\[.*?^\]\]\n/ms, '')
    .replace(/^\s*--.*\n/gm, '')
    .replace(/^\s+/gm, '')
    .trim();

const declarationOf = (file: string): string => {
  const lua = shorten(readFileSync(new URL(file, folder), 'utf8'));
  const raw = lua.includes('\\') ? 'String.raw' : '';
  return `\nexport const ${file.replace('.lua', '')}Script = script(${raw}\`\n${lua}\n\`);\n`;
};

/** The module with all scripts. */
export const scriptsModule = (): string => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.lua'));
  return `// Written by \`npm run lua\` from the files in scripts/, which have the comments.
import { script } from './connection.js';
${files.toSorted().map(declarationOf).join('')}`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../adapters/redis/scripts.ts', import.meta.url), scriptsModule());
}
