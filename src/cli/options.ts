import { parseArgs } from 'node:util';
import { didYouMean, nearest } from '../input/read-options.js';
import { messageOf, UsageError } from './cli-error.js';

/** An id may begin with a dash. Short options, which no command has, and negative numbers are shorter. */
const withDashedOperands = (args: readonly string[]): string[] => {
  const isDashed = (arg: string): boolean => /^-[^-].{4}/.test(arg);
  const dashed = args.filter(isDashed);
  if (args.includes('--') || dashed.length === 0) return [...args];
  return [...args.filter((arg) => !isDashed(arg)), '--', ...dashed];
};

const parse = (named: readonly RegExpExecArray[], args: readonly string[]) => {
  const types = named.map(([, name, value]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const);
  try {
    return parseArgs({ args: withDashedOperands(args), options: Object.fromEntries(types), allowPositionals: true });
  } catch (cause) {
    // Node's messages go on to explain themselves: the first sentence is enough.
    const [message = ''] = messageOf(cause).split('. ');
    const [, unknown = ''] = /^Unknown option '(.+)'/.exec(message) ?? [];
    const names = named.map(([, name]) => `--${name}`);
    throw new UsageError(`${message}${didYouMean(nearest(unknown, names))}`, { cause });
  }
};

/**
 * What a command was called with. Its options are those that its help names: in `  --port N, $PORT` the option takes a
 * value, and the variable PORT stands for it; `  --json` is a switch. What is wrong is thrown as a `UsageError`.
 */
export class Options {
  /** The arguments that are not options. */
  readonly operands: readonly string[];
  /** The texts of the options, and where each was given: in the option or in its variable. */
  readonly given = new Map<string, { readonly label: string; readonly text: string }>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(command: { help: string; operands: number }, args: readonly string[], env: NodeJS.ProcessEnv) {
    const named = [...command.help.matchAll(/^ {2}--([\w-]+)(?: ([A-Z]+))?(?:, \$([A-Z_]+))?/gm)];
    const { values, positionals } = parse(named, args);
    if (positionals.length > command.operands) throw new UsageError(`unexpected argument '${positionals.at(-1)}'`);
    this.operands = positionals;
    this.#env = env;
    for (const [, name = '', , variable = ''] of named) {
      const value = new Map(Object.entries(values)).get(name);
      const text = value === true ? 'on' : value;
      const given = typeof text === 'string' ? { label: `--${name}`, text } : this.variable(variable);
      if (given !== undefined) this.given.set(name, given);
    }
  }

  /** A variable. An empty one is refused: a secret that was not filled in must not look like a wish to do without. */
  variable(name: string) {
    const text = this.#env[name];
    if (text === '') throw new UsageError(`${name} is set to nothing: give it a value, or unset it`);
    return text === undefined ? undefined : { label: name, text };
  }

  /** The text of an option, which must have a form. */
  text(name: string, form = /^/, must = ''): string | undefined {
    const given = this.given.get(name);
    if (given === undefined || form.test(given.text)) return given?.text;
    throw new UsageError(`${given.label} must ${must}`);
  }

  integer(name: string, min: number, max: number, defaultValue: number): number {
    const given = this.given.get(name);
    const value = /^\d{1,9}$/.test(given?.text ?? '') ? Number(given?.text) : Number.NaN;
    if (given === undefined || (value >= min && value <= max)) return given === undefined ? defaultValue : value;
    throw new UsageError(`${given.label} must be a whole number from ${min} to ${max}`);
  }

  isOn(name: string): boolean {
    return this.text(name, /^(on|off)$/, 'be on or off') === 'on';
  }
}
