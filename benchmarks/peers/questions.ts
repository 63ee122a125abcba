import type { Count } from '../subjects/suite.js';
import { upTo } from './peer.js';

/** Number of callers that meet. */
export const CALLERS = 50;

/** What each library is asked, as far as it has calls for it. */
export const questions = {
  together: `kept, of ${CALLERS} made at the same time`,
  twice: 'stored, of 1 sent twice',
  again: 'kept, of 1, after its session was created again',
  refused: 'refused, of 1 after a delete',
  found: 'stored, of 1 after a delete',
} as const;

export type Answers = Partial<Record<keyof typeof questions, number>>;

/** What a call has answered. The table has a row for each call and a column for each question. */
export const answersOf = (call: string, answers: Answers): readonly Count[] =>
  Object.entries(questions).flatMap(([name, question]) => {
    const value = new Map(Object.entries(answers)).get(name);
    return value === undefined ? [] : [{ figure: `${call}: ${question}`, value, unit: 'entries' }];
  });

/** All callers begin before any of them ends, and each is told that it succeeded. */
export const together = async (change: (at: number) => Promise<unknown>): Promise<void> => {
  await Promise.all(upTo(CALLERS).map(change));
};

/** 1 if the call fails. */
export const refusals = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 0,
    () => 1,
  );

/** Appends to sessions of a library by their names. */
export interface Appends {
  readonly create: (id: string) => Promise<unknown>;
  /** `key` tells a repeated entry from a new one, where the library has a place for it. */
  readonly append: (id: string, key: string) => Promise<unknown>;
  readonly entriesIn: (id: string) => Promise<number>;
  readonly remove: (id: string) => Promise<unknown>;
}

/** Asks every question about appends that the library supports. */
export const askAppends = async ({
  create,
  append,
  entriesIn,
  remove,
}: Appends): Promise<Answers> => {
  await create('shared');
  await together((at) => append('shared', `shared-${at}`));
  await create('repeated');
  await append('repeated', 'the-same');
  await append('repeated', 'the-same');
  await create('gone');
  await remove('gone');
  const refused = await refusals(append('gone', 'too-late'));
  return {
    together: await entriesIn('shared'),
    twice: await entriesIn('repeated'),
    refused,
    found: await entriesIn('gone'),
  };
};
