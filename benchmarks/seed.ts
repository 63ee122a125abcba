import type { Result } from 'neverthrow';
import { randomFrom } from '../test/support/random.js';
import type { SessionService } from './colloquy.js';

const openings = [
  'Could you tell me',
  'I would like to know',
  'Let us go back to',
  'Please explain',
  'I am not sure about',
];
const things = [
  'the second half of the task',
  'how long the appointment takes',
  'the rent for a small flat',
  'that last step',
];
const reasons = [
  'because it was new to me',
  'before we go on',
  'since my plans have changed',
  'if you have a moment',
];
const endings = [
  '?',
  '.',
  ', thank you.',
  '. I said "soon", not "now".',
  '.\nAnd one more thing, please.',
];

/**
 * What people say: 60 to 200 characters, now and then with quotes and line feeds, which JSON has to
 * escape.
 */
export const utterances = (seed: number): (() => string) => {
  const random = randomFrom(seed);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const clause = () => `${pick(openings)} ${pick(things)} ${pick(reasons)}`;
  return () =>
    random() < 0.4
      ? `${clause()}${pick(endings)} ${clause()}${pick(endings)}`
      : `${clause()}${pick(endings)}`;
};

const settings = {
  face: 'ada',
  profile: 'tutor',
  behavior: 'Be kind and patient with the learner, and give one hint at a time.',
  context: 'They are learning fractions.',
} as const;

const must = <T>(result: Result<T, { readonly message: string }>): T => {
  if (result.isErr()) throw new Error(result.error.message);
  return result.value;
};

const say = (next: () => string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: next(),
  }));

/** An ACTIVE session with this number of entries, added in batches of a thousand. */
export const seedSession = async (
  sessions: SessionService,
  entries: number,
  seed: number,
): Promise<string> => {
  const next = utterances(seed);
  const { id } = must(await sessions.create(settings));
  must(await sessions.start(id));
  for (let left = entries; left > 0; left -= 1000)
    must(await sessions.append(id, say(next, Math.min(left, 1000))));
  return id;
};

/** Number of sessions that are created concurrently. */
const IN_FLIGHT = 64;

/** Sessions with a history each; gives their ids. */
export const seedSessions = async (
  sessions: SessionService,
  count: number,
  entries: number,
): Promise<string[]> => {
  const ids: string[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      ids.push(await seedSession(sessions, entries, left));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return ids;
};
