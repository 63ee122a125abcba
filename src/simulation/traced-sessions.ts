import { type Fields, isFields } from '../input/parse-fields.js';
import { orThrowOf } from '../service/or-throw.js';
import type { SessionService } from '../service/session-service.js';
import type { HeldLease } from '../session/with-lease.js';
import type { Process } from './process.js';
import type { World } from './world.js';

const LENGTH = 160;

const isEntry = (value: Fields): boolean => typeof value['role'] === 'string' && typeof value['content'] === 'string';

/** A value as a short text. Fencing tokens are numbered in order of appearance, because they are partly random. */
const inWords = (value: unknown, world: World): string => {
  const words = (part: unknown): string => inWords(part, world);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(words).join(', ')}]`;
  if (!isFields(value)) return String(value);
  if (isEntry(value)) return `${value['role']}: ${value['content']}`;
  const fields = Object.entries(value).filter(
    ([, part]) => part !== undefined && typeof part !== 'function' && !(part instanceof AbortSignal),
  );
  const shown = fields.map(([name, part]) => `${name}: ${name === 'fencingToken' ? world.orderOf(part) : words(part)}`);
  return `{ ${shown.join(', ')} }`;
};

const short = (text: string): string => (text.length > LENGTH ? `${text.slice(0, LENGTH)}...` : text);

const shownFields = [
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
  const parts = Object.entries(answer).filter(([name]) => shownFields.includes(name));
  return parts.length === 0 ? '' : inWords(Object.fromEntries(parts), world);
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const resultInWords = (result: unknown, world: World): string => {
  if (!isFields(result) || !('isOk' in result)) return '';
  return 'value' in result
    ? `gets ${answerInWords(result['value'], world)}`
    : `gets the error ${answerInWords(result['error'], world)}`;
};

const isLease = (value: unknown): value is HeldLease<SessionService> => isFields(value) && 'sessions' in value;

/** The callback of `withLease`, with traced sessions. Other arguments stay as they are. */
const tracedUse = (argument: unknown, process: Process, world: World): unknown => {
  if (typeof argument !== 'function') return argument;
  return (lease: unknown): unknown =>
    argument(isLease(lease) ? { ...lease, sessions: tracedSessions(lease.sessions, process, world) } : lease);
};

/** The sessions of a process. Adds each call and its answer to the trace. */
export const tracedSessions = (service: SessionService, process: Process, world: World): SessionService =>
  new Proxy(service, {
    get: (target, name, traced) => {
      if (name === 'orThrow') return orThrowOf<SessionService>(traced);
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      if (name === 'forTenant') return (tenant: string) => tracedSessions(target.forTenant(tenant), process, world);
      return (...args: readonly unknown[]) => {
        world.tell(
          process.name,
          short(
            `calls ${name} ${args
              .filter((arg) => typeof arg !== 'function')
              .map((arg) => inWords(arg, world))
              .join(' ')}`,
          ),
        );
        const called = process.called();
        const given = name === 'withLease' ? args.map((argument) => tracedUse(argument, process, world)) : args;
        const answer: unknown = Reflect.apply(member, target, given);
        if (!isThenable(answer)) return answer;
        const heard = answer.then((result) => {
          if (process.isAlive) world.tell(process.name, short(`${resultInWords(result, world)} from ${name}`));
        });
        // The id of an idempotency key may come from the Web Crypto API, so the simulated time waits for it.
        if (name === 'create') void world.outside(Promise.race([heard, called]));
        return answer;
      };
    },
  });
