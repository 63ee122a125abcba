import { describe, expect, test } from 'vitest';
import type { MessageState } from '../../../src/service/turn-results.js';
import type { PositionedEntry } from '../../../src/session/session.js';
import { judge, type Verdict } from './judge.js';
import type { Mark } from './marks.js';

const message = (name: string, position: number, turn = 1): PositionedEntry => ({
  ...{ role: 'user', content: name, timestamp: '2026-11-28T12:00:00.000Z' },
  ...{ id: name, message: true, position, turn },
});

const answer = (
  run: string,
  answers: readonly string[],
  position: number,
  { turn = 1, fencingToken = 7 } = {},
): PositionedEntry => ({
  ...{ role: 'assistant', content: 'Hello!', timestamp: '2026-11-28T12:00:00.000Z' },
  ...{ position, turn, data: { run, answers, fencingToken } },
});

const begin = (run: string, since: number, fencingToken: number): Mark => ({
  ...{ did: 'begin', id: 's', run, fencingToken, since, until: since + 100, at: since },
  ...{ who: 1, names: [] },
});
const ran = (run: string, at: number): Mark => ({ did: 'ran', run, who: 1, at });
const end = (fencingToken: number, at: number): Mark => ({
  ...{ did: 'end', id: 's', fencingToken, who: 1, at },
});
const sent = (name: string, begun: number, at: number): Mark => ({
  ...{ did: 'sent', id: 's', name, begun, who: 2, at },
});
const asks = (what: 'cancel' | 'rewind' | 'withdraw', at: number, name?: string): Mark => ({
  ...{ did: 'asks', call: `c${at}`, what, id: 's', who: 2, at },
  ...(name !== undefined && { name }),
});
const heard = (asked: number, at: number, withdrawn: readonly string[] = []): Mark => ({
  ...{ did: 'heard', call: `c${asked}`, withdrawn, who: 2, at },
});
const died = (at: number): Mark => ({ did: 'died', step: 'anywhere', who: 1, at });

const talk: readonly Mark[] = [sent('m1', 1, 2), sent('m2', 3, 4)];
const turn = [begin('r1', 5, 7), ran('r1', 6), end(7, 6)];
const whole = [message('m1', 1), message('m2', 2), answer('r1', ['m1', 'm2'], 3)];

interface Seen {
  readonly history?: readonly PositionedEntry[];
  readonly marks?: readonly Mark[];
  readonly fates?: Readonly<Record<string, MessageState | 'missing'>>;
}

/** The counts that are not 0. */
const judged = ({ history = whole, marks = [], fates = {} }: Seen): Partial<Verdict> => {
  const found = judge(new Map([['s', history]]), new Map(Object.entries(fates)), [
    ...talk,
    ...turn,
    ...marks,
  ]);
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
};

/** A run whose answer was not stored. */
const unstored = [begin('r2', 10, 9), ran('r2', 20)];
const later = [begin('r3', 50, 11)];

describe('the judge of killed workers and hosts detects', () => {
  test.each<[string, Seen, Partial<Verdict>]>([
    ['nothing in messages that were answered', {}, {}],
    [
      'a message that is nowhere',
      { marks: [sent('m3', 5, 6)], fates: { m3: 'missing' } },
      { lost: 1 },
    ],
    [
      'a message that is superseded without a rewind',
      { marks: [sent('m3', 5, 6), asks('cancel', 7)], fates: { m3: 'superseded' } },
      { lost: 1 },
    ],
    [
      'a message that is withdrawn by nobody',
      { marks: [sent('m3', 5, 6), asks('withdraw', 7, 'm4')], fates: { m3: 'withdrawn' } },
      { lost: 1 },
    ],
    [
      'an answered message that is in no history',
      { marks: [sent('m3', 5, 6)], fates: { m3: 'answered' } },
      { lost: 1 },
    ],
    [
      'a message that still waits',
      { marks: [sent('m3', 5, 6)], fates: { m3: 'waiting' } },
      { unanswered: 1 },
    ],
    [
      'a message without an answer',
      { history: [...whole, message('m3', 4, 2)] },
      { unanswered: 1 },
    ],
    [
      'a message that was taken twice',
      { history: [...whole.slice(0, 1), ...whole] },
      { takenTwice: 1 },
    ],
    [
      'a message that was answered twice',
      { history: [...whole, answer('r2', ['m2'], 4)] },
      { answeredTwice: 1 },
    ],
    [
      'an answer of another turn',
      { history: [...whole.slice(0, 2), answer('r1', ['m1', 'm2'], 3, { turn: 2 })] },
      { misanswered: 2 },
    ],
    [
      'an answer before its message',
      { history: [message('m1', 1), answer('r1', ['m1', 'm2'], 2), message('m2', 3)] },
      { misanswered: 1 },
    ],
    [
      'messages in another order than they were sent in',
      { history: [message('m2', 1), message('m1', 2), answer('r1', ['m1', 'm2'], 3)] },
      { outOfOrder: 1 },
    ],
    [
      'an answer after one of a later lease',
      {
        history: [
          message('m1', 1),
          message('m2', 2),
          answer('r2', ['m2'], 3, { fencingToken: 9 }),
          answer('r1', ['m1'], 4),
        ],
      },
      { disordered: 1 },
    ],
    [
      'a message that was withdrawn and taken',
      { marks: [asks('withdraw', 5), heard(5, 6, ['m2'])] },
      { withdrawnAndTaken: 1 },
    ],
    [
      'a message that was withdrawn though a run has it',
      {
        marks: [
          { did: 'given', names: ['m9'], who: 1, at: 4 },
          asks('withdraw', 5),
          heard(5, 6, ['m9']),
        ],
      },
      { withdrawnAndTaken: 1 },
    ],
    ['a run that was thrown away', { marks: unstored }, { thrownAway: 1 }],
    [
      'a run that was thrown away before a cancel',
      { marks: [...unstored, end(9, 20), ...later, asks('cancel', 60), heard(60, 61)] },
      { thrownAway: 1 },
    ],
    [
      'a run that was thrown away before a crash',
      { marks: [...unstored, end(9, 20), ...later, died(60)] },
      { thrownAway: 1 },
    ],
    [
      'two processes that have a session',
      { marks: [begin('r2', 10, 9), ...later] },
      { overlaps: 1 },
    ],
  ])('%s', (_, seen, found) => {
    expect(judged(seen)).toEqual(found);
  });
});

describe('the judge of killed workers and hosts accepts', () => {
  test.each<[string, Seen, Partial<Verdict>]>([
    ['a run that a crash has ended', { marks: [...unstored, died(30)] }, { crashed: 1 }],
    [
      'a run that was cancelled',
      { marks: [...unstored, asks('cancel', 15), heard(15, 16), ...later] },
      { stopped: 1 },
    ],
    [
      'a run during a rewind whose caller has died',
      { marks: [...unstored, asks('rewind', 4), ...later] },
      { stopped: 1 },
    ],
    [
      'a run on a machine that is slower than its lease',
      { marks: [...unstored, begin('r3', 110, 11)] },
      { ranOut: 1 },
    ],
    [
      'silence after a cancel',
      {
        history: [...whole, message('m3', 4, 2)],
        marks: [sent('m3', 7, 8), asks('cancel', 8), heard(8, 9)],
      },
      {},
    ],
    [
      'a message that an edit has withdrawn',
      {
        marks: [sent('m3', 5, 6), asks('rewind', 7, 'm3'), heard(7, 8)],
        fates: { m3: 'withdrawn' },
      },
      {},
    ],
    [
      'a message that a rewind has superseded',
      {
        marks: [sent('m3', 5, 6), asks('rewind', 7, 'm1'), heard(7, 8)],
        fates: { m3: 'superseded' },
      },
      {},
    ],
  ])('%s', (_, seen, found) => {
    expect(judged(seen)).toEqual(found);
  });
});
