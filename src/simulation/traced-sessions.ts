import { cutText } from '../session/cut-text.js';
import { type Fields, isFields } from '../session/fields.js';
import type { Process, World } from './world.js';

const LENGTH = 160;

const isEntry = (value: Fields): boolean =>
  typeof value['role'] === 'string' && typeof value['content'] === 'string';

/**
 * A value in words. Fencing tokens are numbered in order of appearance, because they are partly
 * random.
 */
const inWords = (value: unknown, world: World): string => {
  const words = (part: unknown): string => inWords(part, world);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(words).join(', ')}]`;
  if (!isFields(value)) return String(value);
  if (isEntry(value)) return `${value['role']}: ${value['content']}`;
  const fields = Object.entries(value).filter(
    ([, part]) =>
      part !== undefined && typeof part !== 'function' && !(part instanceof AbortSignal),
  );
  const valueOfField = (name: string, part: unknown): unknown => {
    if (name === 'fencingToken') return world.orderOf(part);
    return words(part);
  };
  const texts = fields.map(([name, part]) => `${name}: ${valueOfField(name, part)}`);
  return `{ ${texts.join(', ')} }`;
};

const short = (text: string): string => {
  if (text.length <= LENGTH) return text;
  return `${cutText(text, LENGTH)}...`;
};

/** The fields of an answer that the trace has. */
const tracedFields = [
  'id',
  'status',
  'endReason',
  'position',
  'repeated',
  'fencingToken',
  'total',
  'historyCount',
  'type',
  'outcome',
];

const answerInWords = (answer: unknown, world: World): string => {
  if (!isFields(answer)) return inWords(answer, world);
  const { claimed } = answer;
  if (Array.isArray(claimed))
    return `[${claimed.map(({ session, attempt }) => `${session.id}: attempt ${attempt}`)}]`;
  const parts = Object.entries(answer).filter(([name]) => tracedFields.includes(name));
  if (parts.length === 0) return '';
  return inWords(Object.fromEntries(parts), world);
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  'then' in value &&
  typeof value.then === 'function';

const resultInWords = (result: unknown, world: World): string => {
  if (!isFields(result) || !('isOk' in result)) return '';
  if ('value' in result) return `gets ${answerInWords(result['value'], world)}`;
  return `gets the error ${answerInWords(result['error'], world)}`;
};

export type TracedSessions = <S extends object>(create: () => S) => S;

/** The members that make another service. */
const untold: ReadonlySet<string> = new Set(['constructor', 'forTenant', 'within']);

/** The services of a process. Adds each call and its answer to the trace. */
export const tracedSessions = (process: Process, world: World): TracedSessions => {
  const traced =
    (inner: object, name: string, member: (...args: never) => unknown) =>
    (...args: readonly unknown[]): unknown => {
      const told = args
        .filter((arg) => typeof arg !== 'function')
        .map((arg) => inWords(arg, world));
      world.tell(process.name, short(`calls ${name} ${told.join(' ')}`));
      const called = process.called();
      const answer: unknown = Reflect.apply(member, inner, args);
      if (!isThenable(answer)) return answer;
      const heard = answer.then((result) => {
        if (process.isAlive)
          world.tell(process.name, short(`${resultInWords(result, world)} from ${name}`));
      });
      // The id of an idempotency key may come from the Web Crypto API, so the simulated time waits
      // for it.
      if (name === 'create') void world.outside(Promise.race([heard, called]));
      return answer;
    };
  return (create) => {
    // Calls of a service to itself are not traced.
    const [inner, told] = [create(), create()];
    for (const [name, { value }] of Object.entries(
      Object.getOwnPropertyDescriptors(Object.getPrototypeOf(inner)),
    )) {
      if (typeof value !== 'function' || untold.has(name)) continue;
      Object.defineProperty(told, name, { value: traced(inner, name, value), configurable: true });
    }
    return told;
  };
};
