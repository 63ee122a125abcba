import { err, ok, type Result } from 'neverthrow';
import type { Environment } from './command.js';
import { type Failure, misuse } from './failure.js';

/**
 * A variable of the environment. One that is set to nothing is refused: a secret that was not filled in must not look
 * like a wish to do without.
 */
export const readVariable = (env: Environment, name: string): Result<string | undefined, Failure> => {
  const value = env[name];
  return value === '' ? err(misuse(`${name} is set to nothing: give it a value, or unset it`)) : ok(value);
};

/** What was set, and where, as messages call it. */
export interface Setting {
  readonly name: string;
  readonly text: string;
}

/** An option with what was given for it. */
export type Option = readonly [name: string, text: string | undefined];

/** An option, or the variable that stands for it: the option wins. */
export const readSetting = (
  [name, text]: Option,
  env: Environment,
  variable: string,
): Result<Setting | undefined, Failure> =>
  text === undefined
    ? readVariable(env, variable).map((value) => (value === undefined ? undefined : { name: variable, text: value }))
    : ok({ name, text });

/** A whole number in plain digits. */
export const readWholeNumber = (name: string, text: string, least: number, most: number): Result<number, Failure> => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? ok(value)
    : err(misuse(`${name} must be a whole number from ${least} to ${most}`));
};

/** An option that is there or not, `--no-` before it to take it back; or a variable that is `on` or `off`. */
export const readSwitch = (
  given: boolean | undefined,
  env: Environment,
  variable: string,
): Result<boolean, Failure> => {
  if (given !== undefined) return ok(given);
  return readVariable(env, variable).andThen((text = 'off') =>
    text === 'on' || text === 'off' ? ok(text === 'on') : err(misuse(`${variable} must be on or off`)),
  );
};
