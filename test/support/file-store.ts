import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ok } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { DueKey, SessionStore } from '../../src/store/session-store.js';
import { changed, staleOf } from './store-doubles.js';

type Sessions = Record<string, SessionRecord>;

const labelOf = ({ tenant, id }: DueKey): string => JSON.stringify([tenant, id]);

/** JSON has no Infinity. */
const read = (file: string): Sessions =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'), (_, value: unknown) =>
        value === 'Infinity' ? Number.POSITIVE_INFINITY : value,
      )
    : {};

/** A store that rewrites its file with every change: correct in a single process only. */
export const openFileStore = (file: string): SessionStore => {
  const write = (sessions: Sessions): void => {
    const text = JSON.stringify(sessions, (_, value: unknown) =>
      value === Number.POSITIVE_INFINITY ? 'Infinity' : value,
    );
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  };
  const change = (
    key: DueKey,
    changes: (record: SessionRecord) => Partial<SessionRecord>,
  ): void => {
    const sessions = read(file);
    const record = sessions[labelOf(key)];
    if (record !== undefined)
      write({ ...sessions, [labelOf(key)]: { ...record, ...changes(record) } });
  };
  const stateOf = (key: DueKey): StateRecord | undefined => read(file)[labelOf(key)]?.state;
  return changed(new MemorySessionStore(), {
    begin: ({ key, effects: { head, state } }) => {
      if (stateOf(key) !== undefined) return ok({ outcome: 'refused', guard: 'absent' });
      const empty = {
        history: [],
        historyCount: 0,
        historyPosition: 0,
        historyVersion: '1',
        sequence: 1,
      };
      write({ ...read(file), [labelOf(key)]: { head, state, ...empty } });
      return ok({ outcome: 'made' });
    },
    find: (key) => ok(read(file)[labelOf(key)]),
    findState: (key) => ok(stateOf(key)),
    put: (commit) => {
      const { put, events } = commit.effects;
      if (stateOf(commit.key)?.revision !== commit.guards.revision) return staleOf(commit);
      change(commit.key, ({ sequence }) => ({
        state: put.state,
        sequence: sequence + events.length,
      }));
      return ok({ outcome: 'made', position: 0 });
    },
    use: ({ key, effects: { entries = [] } }) => {
      change(key, ({ history, sequence }) => ({
        history: [...history, ...entries],
        sequence: sequence + 1,
      }));
      return ok({ outcome: 'made', position: read(file)[labelOf(key)]?.history.length ?? 0 });
    },
    remove: ({ key }) => {
      const { [labelOf(key)]: _, ...rest } = read(file);
      write(rest);
      return ok({ outcome: 'made' });
    },
  });
};
