import { type Misconfigured, misconfigured } from '../session/errors.js';

/** Settings that all processes of a store share, by the names of the options that set them. */
type Settings = Readonly<Record<string, boolean | number>>;

/** The options of a process; an undefined option follows the stored setting. */
type Asked<S extends Settings> = Readonly<Record<keyof S, boolean | number | undefined>>;

/**
 * The error of a process whose options differ from the stored settings. `changes` explains how to
 * change each setting.
 */
export const differenceOf = <S extends Settings>(
  store: string,
  asked: Asked<S>,
  stored: S,
  changes: Readonly<Record<keyof S, string>>,
): Misconfigured | undefined => {
  const isOther = (name: keyof S) => asked[name] !== undefined && asked[name] !== stored[name];
  const texts = Object.keys(stored)
    .filter(isOther)
    .map((name: keyof S) => {
      const difference = `the option ${String(name)} is ${asked[name]}, but this store has`;
      return `${difference} ${stored[name]}: omit the option, or ${changes[name]}`;
    });
  if (texts.length === 0) return undefined;
  return misconfigured(`${store}: ${texts.join('; ')}`);
};
