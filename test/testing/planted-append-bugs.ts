import { ok } from 'neverthrow';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

const operationOf = (key: SessionKey, { operation }: HistoryAppend): string =>
  JSON.stringify([key.tenant, key.id, operation?.id]);

const caughtByRecognition =
  'operationId: a repeated append adds nothing and answers the first position';

const carries = 'append: the id and the data of an entry are read as they were written, in order';

export const plantedAppendBugs: readonly PlantedBug[] = [
  planted('drops the data of entries', carries, (inner) => ({
    append: (key, append) =>
      inner.append(key, {
        ...append,
        entries: append.entries.map(({ data: _, ...entry }) => entry),
      }),
  })),
  planted('drops the id of an entry without data', carries, (inner) => ({
    append: (key, append) =>
      inner.append(key, {
        ...append,
        entries: append.entries.map(({ id, ...entry }) =>
          id === undefined || entry.data === undefined ? entry : { ...entry, id },
        ),
      }),
  })),
  planted(
    'gives each entry the position before it',
    'findEntries: each entry has the position after it, from which the next ones are read',
    (inner) => ({
      findEntries: (key, slice) =>
        inner.findEntries(key, slice).map((found) =>
          found.outcome === 'found'
            ? {
                ...found,
                entries: found.entries.map((entry) => ({
                  ...entry,
                  position: entry.position - 1,
                })),
              }
            : found,
        ),
    }),
  ),
  planted(
    'loses every tenth append',
    'races: 50 appends at once are all kept, once and whole',
    (inner) => {
      let calls = 0;
      return {
        append: (key, append) => {
          calls += 1;
          return inner.append(key, calls % 10 === 0 ? { ...append, entries: [] } : append);
        },
      };
    },
  ),
  planted(
    'loses an append that runs beside another',
    'races: 50 appends at once are all kept, once and whole',
    (inner) => {
      const writing = new Set<string>();
      return {
        append: async (key, append) => {
          const isAlone = !writing.has(labelOf(key));
          writing.add(labelOf(key));
          await Promise.resolve();
          const answer = inner.append(key, isAlone ? append : { ...append, entries: [] });
          writing.delete(labelOf(key));
          return answer;
        },
      };
    },
  ),
  planted('does not recognise an operationId', caughtByRecognition, (inner) => ({
    append: (key, { operation: _, ...append }) => inner.append(key, append),
  })),
  planted(
    'does not say that an append is repeated',
    'operationId: only a repeated append says that it is repeated',
    (inner) => ({
      append: (key, append) =>
        inner
          .append(key, append)
          .map((answer) =>
            answer.outcome === 'appended'
              ? { outcome: answer.outcome, position: answer.position }
              : answer,
          ),
    }),
  ),
  planted(
    'says that every append with an operationId is repeated',
    'operationId: only a repeated append says that it is repeated',
    (inner) => ({
      append: (key, append) =>
        inner
          .append(key, append)
          .map((answer) =>
            answer.outcome === 'appended' && append.operation !== undefined
              ? { ...answer, repeated: true }
              : answer,
          ),
    }),
  ),
  planted('answers a repeated append with another position', caughtByRecognition, (inner) => {
    const known = new Set<string>();
    return {
      append: (key, append) => {
        const operation = operationOf(key, append);
        const isRepeated = append.operation !== undefined && known.has(operation);
        known.add(operation);
        return inner
          .append(key, append)
          .map((answer) =>
            isRepeated && answer.outcome === 'appended'
              ? { ...answer, position: answer.position + 1 }
              : answer,
          );
      },
    };
  }),
  planted(
    'recognises an operationId of a session that was removed',
    'remove: the id is free again, and a new session under it starts clean',
    (inner) => {
      const known = new Map<string, AppendOutcome>();
      return {
        append: (key, append) => {
          const before =
            append.operation === undefined ? undefined : known.get(operationOf(key, append));
          if (before !== undefined) return ok(before);
          return inner.append(key, append).map((answer) => {
            if (answer.outcome === 'appended') known.set(operationOf(key, append), answer);
            return answer;
          });
        },
      };
    },
  ),
  planted(
    'takes one entry more than maxEntries',
    'maxEntries: a history accepts entries up to the limit, and not one more',
    (inner) => ({
      append: (key, { maxEntries = 1e9, ...append }) =>
        inner.append(key, { ...append, maxEntries: maxEntries + 1 }),
    }),
  ),
  planted(
    'accepts an append in the very millisecond of the deadline',
    'append: entries are accepted until the millisecond before the deadline',
    (inner) => ({
      append: (key, append) => {
        const isLast = inner.findState(key)._unsafeUnwrap()?.deadline === append.now;
        return inner.append(key, isLast ? { ...append, now: append.now - 1 } : append);
      },
    }),
  ),
];
