import { readFile } from 'node:fs/promises';

/** A hook of Node: loads a file of Lua or SQL as its text. */
export const load = async (url, context, nextLoad) => {
  const { pathname } = new URL(url);
  if (!/\.(?:lua|sql)$/.test(pathname)) return nextLoad(url, context);
  const text = await readFile(new URL(pathname, 'file:'), 'utf8');
  return {
    format: 'module',
    source: `export default ${JSON.stringify(text)};`,
    shortCircuit: true,
  };
};
