import { type Misconfigured, misconfigured } from '../../src/session/errors.js';

/** Settings that all processes of a store have in common, by the names of the options that ask for them. */
type Settings = Readonly<Record<string, boolean | number>>;

/** The options of a process: undefined where it follows what is stored. */
type Asked<S extends Settings> = Readonly<Record<keyof S, boolean | number | undefined>>;

/**
 * The error of a process that asks for something else than is stored. `changes` says how a deployment changes each setting.
 */
export const differenceOf = <S extends Settings>(
  store: string,
  asked: Asked<S>,
  stored: S,
  changes: Readonly<Record<keyof S, string>>,
): Misconfigured | undefined => {
  const texts = Object.keys(stored).flatMap((name: keyof S) =>
    asked[name] === undefined || asked[name] === stored[name]
      ? []
      : [
          `the option ${String(name)} asks for ${asked[name]}, but this store has ${stored[name]}: leave the option out, or ${changes[name]}`,
        ],
  );
  return texts.length === 0 ? undefined : misconfigured(`${store}: ${texts.join('; ')}`);
};
