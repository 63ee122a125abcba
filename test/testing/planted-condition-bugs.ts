import { err, ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { LeaseRecord } from '../../src/session/session-record.js';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const endOf = (inner: MemorySessionStore, key: SessionKey): number =>
  inner.find(key)._unsafeUnwrap()?.historyCount ?? 0;

/** The memory store, with other conditions of an append, or with an answer instead. */
const reading = (
  bug: string,
  caughtBy: string,
  misread: (
    append: HistoryAppend,
    inner: MemorySessionStore,
    key: SessionKey,
  ) => HistoryAppend | AppendOutcome,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    append: (key, append) => {
      const read = misread(append, inner, key);
      return 'outcome' in read ? ok(read) : inner.append(key, read);
    },
  }));

const withoutPosition = ({ ifPosition: _, ...append }: HistoryAppend): HistoryAppend => append;
const withoutFencingToken = ({ fencingToken: _, ...append }: HistoryAppend): HistoryAppend =>
  append;

const atThePosition =
  'ifPosition: an append is made where the history ends at the position, and nowhere else';
const recognised =
  'ifPosition: a repeated append is recognised though the history has moved, and one that was refused is not';

const positionBugs: readonly PlantedBug[] = [
  reading('ignores ifPosition', atThePosition, withoutPosition),
  reading(
    'appends where the history has not reached ifPosition',
    atThePosition,
    (append, inner, key) =>
      (append.ifPosition ?? 0) >= endOf(inner, key) ? withoutPosition(append) : append,
  ),
  reading('ignores an ifPosition of 0', atThePosition, (append) =>
    append.ifPosition === 0 ? withoutPosition(append) : append,
  ),
  planted(
    'gives the position that was asked for, not where the history ends',
    atThePosition,
    (inner) => ({
      append: (key, append) =>
        inner
          .append(key, append)
          .map((answer) =>
            answer.outcome === 'moved' ? { ...answer, position: append.ifPosition ?? 0 } : answer,
          ),
    }),
  ),
  planted(
    'knows the positions of appends without an operationId alone',
    'ifPosition: the position of a part that was read is one to append at',
    (inner) => {
      const known = new Set<number | undefined>([undefined, 0]);
      return {
        append: (key, append) => {
          if (!known.has(append.ifPosition))
            return ok({ outcome: 'moved', position: endOf(inner, key) });
          return inner.append(key, append).map((answer) => {
            if (answer.outcome === 'appended' && append.operation === undefined)
              known.add(answer.position);
            return answer;
          });
        },
      };
    },
  ),
  planted(
    'compares the position and appends without a transaction',
    'ifPosition: one of 50 appends at a position is made',
    (inner) => ({
      append: async (key, append) => {
        if (append.ifPosition !== undefined && append.ifPosition !== endOf(inner, key)) {
          return inner.append(key, append);
        }
        await Promise.resolve();
        return inner.append(key, withoutPosition(append));
      },
    }),
  ),
  reading(
    'looks at the position before it looks for the operationId',
    recognised,
    (append, inner, key) => {
      const position = endOf(inner, key);
      return append.ifPosition === undefined || append.ifPosition === position
        ? append
        : { outcome: 'moved', position };
    },
  ),
  planted('takes an append that it refused for one that it made', recognised, (inner) => {
    const refused = new Set<string | undefined>();
    return {
      append: (key, append) => {
        const id = append.operation?.id;
        if (id !== undefined && refused.has(id))
          return ok({ outcome: 'appended', position: endOf(inner, key) });
        return inner.append(key, append).map((answer) => {
          if (answer.outcome === 'moved') refused.add(id);
          return answer;
        });
      },
    };
  }),
];

const mismatch =
  'digest: an append with a known operation id and another digest is a mismatch, and adds nothing';

const withDigest = (append: HistoryAppend, digestOf: (digest: string) => string): HistoryAppend => {
  const { operation } = append;
  return operation === undefined
    ? append
    : { ...append, operation: { ...operation, digest: digestOf(operation.digest) } };
};

const digestBugs: readonly PlantedBug[] = [
  reading('ignores the digest', mismatch, (append) => withDigest(append, () => '-'.repeat(16))),
  reading('compares digests without their case', mismatch, (append) =>
    withDigest(append, (digest) => digest.toLowerCase()),
  ),
  planted('makes an append whose digest does not match', mismatch, (inner) => ({
    append: (key, append) =>
      inner.append(key, append).andThen((answer) => {
        const { operation: _, ...unnamed } = append;
        return answer.outcome === 'mismatch' ? inner.append(key, unnamed) : ok(answer);
      }),
  })),
  planted(
    'says after the end that it is closed where the digest does not match',
    mismatch,
    (inner) => ({
      append: (key, append) =>
        inner.append(key, append).andThen((answer) => {
          const { operation: _, ...unnamed } = append;
          const isEnded = inner.findState(key)._unsafeUnwrap()?.status === 'TERMINATED';
          return answer.outcome === 'mismatch' && isEnded ? inner.append(key, unnamed) : ok(answer);
        }),
    }),
  ),
];

const whileLeased = 'fencing token: an append is made while its lease is the current one';

/** Appends without a fencing token if the bug takes it for that of the lease. */
const accepting = (
  bug: string,
  accepts: (
    lease: LeaseRecord,
    append: HistoryAppend & { readonly fencingToken: number },
  ) => boolean,
): PlantedBug =>
  reading(bug, whileLeased, (append, inner, key) => {
    const { fencingToken } = append;
    const lease = inner.findState(key)._unsafeUnwrap()?.work.lease;
    const isAccepted =
      lease !== undefined &&
      fencingToken !== undefined &&
      accepts(lease, { ...append, fencingToken });
    return isAccepted ? withoutFencingToken(append) : append;
  });

const fencingTokenBugs: readonly PlantedBug[] = [
  reading('ignores the fencing token', whileLeased, withoutFencingToken),
  accepting(
    'accepts an append in the very millisecond of the end of its lease',
    (lease, { fencingToken, now }) => {
      return fencingToken === lease.fencingToken && now <= lease.until;
    },
  ),
  accepting(
    'looks at the fencing token, and not at the end of the lease',
    (lease, { fencingToken }) => fencingToken === lease.fencingToken,
  ),
  accepting(
    'accepts the fencing tokens of earlier leases',
    (lease, { fencingToken, now }) => fencingToken <= lease.fencingToken && now < lease.until,
  ),
  accepting(
    'accepts fencing tokens that are higher',
    (lease, { fencingToken, now }) => fencingToken >= lease.fencingToken && now < lease.until,
  ),
  accepting('compares the first digits of a fencing token', (lease, { fencingToken, now }) => {
    return String(fencingToken).startsWith(String(lease.fencingToken)) && now < lease.until;
  }),
  reading(
    'wants a fencing token of everybody while there is a lease',
    whileLeased,
    (append, inner, key) => {
      const lease = inner.findState(key)._unsafeUnwrap()?.work.lease;
      return lease !== undefined && append.fencingToken === undefined
        ? { outcome: 'lease_lost' }
        : append;
    },
  ),
  reading(
    'looks at the fencing token before it looks for the operationId',
    'fencing token: a repeated append is recognised though its lease is over, and one that was refused is not',
    (append, inner, key) => {
      const lease = inner.findState(key)._unsafeUnwrap()?.work.lease;
      return append.fencingToken === undefined || append.fencingToken === lease?.fencingToken
        ? append
        : { outcome: 'lease_lost' };
    },
  ),
  planted(
    'looks at the position before it looks at the fencing token',
    'append: of several reasons to refuse, the one that callers can do least about is given',
    (inner) => ({
      append: (key, append) =>
        inner.append(key, append).andThen((answer) => {
          if (answer.outcome !== 'lease_lost') return ok(answer);
          const again = inner.append(key, { ...withoutFencingToken(append), maxEntries: 0 });
          if (again.isErr()) return err(again.error);
          return ok(again.value.outcome === 'moved' ? again.value : answer);
        }),
    }),
  ),
];

/** Bugs in the conditions of appends. */
export const plantedConditionBugs: readonly PlantedBug[] = [
  ...positionBugs,
  ...digestBugs,
  ...fencingTokenBugs,
];
