import { isFields } from '../session/fields.js';
import { CliError, messageOf } from './cli-error.js';

/**
 * An optional package; undefined if it is not installed. Fails if an installed package cannot be
 * loaded.
 */
export const loadPackage = async <T>(
  name: string,
  load: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await load();
  } catch (cause) {
    if (isFields(cause) && cause['code'] === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw new CliError(`the package ${name} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
};

export const requirePackage = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  const loaded = await loadPackage(name, load);
  if (loaded === undefined)
    throw new CliError(`the package ${name} is missing: run npm install ${name}`);
  return loaded;
};
