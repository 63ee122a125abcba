import fc from 'fast-check';
import type { Command } from './model.js';

const key = fc.constantFrom('a', 'b');
const name = fc.option(fc.constantFrom('once', 'twice'), { nil: undefined });

const withName = <T extends object>(
  command: T,
  given: string | undefined,
): T & { readonly name?: string } => (given === undefined ? command : { ...command, name: given });

let texts = 0;
const text = fc.constant(undefined).map(() => {
  texts += 1;
  return `text ${texts}`;
});

const change = fc
  .tuple(fc.constantFrom('start', 'start', 'pause', 'resume', 'terminate', 'fail'), key, name)
  .map(([type, of, given]): Command => withName({ type, key: of }, given));

const append = fc.tuple(key, text, name, fc.boolean()).map(
  ([of, said, given, isAgain]): Command =>
    withName(
      {
        type: 'append',
        key: of,
        text: given !== undefined && isAgain ? `text of ${given}` : said,
      },
      given,
    ),
);

/** A command on one of two sessions of a tenant. */
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('create'), key, timeLimit: fc.constantFrom(0, 2) }),
  },
  { weight: 6, arbitrary: change },
  { weight: 6, arbitrary: append },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('get'), key }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete'), key }) },
  { weight: 1, arbitrary: fc.constant<Command>({ type: 'list' }) },
);

const statuses = [undefined, 'IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED', 'TERMINATED'] as const;

/** A page of a list that somebody else's change may be half in; one caller sees it whole. */
const page: fc.Arbitrary<Command> = fc
  .tuple(fc.constantFrom(...statuses), fc.constantFrom(1, 2, 10), fc.constantFrom(1, 1, 2))
  .map(([status, limit, number]) => ({ type: 'page', status, limit, page: number }));

/** The same, with pages and their totals, and time passes. */
export const commandOrWait: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: command },
  { weight: 1, arbitrary: page },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.constantFrom(1, 999, 1000, 2500) }),
  },
);
