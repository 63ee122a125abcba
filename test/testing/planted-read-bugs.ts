import { err } from 'neverthrow';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionHead, SessionRecord } from '../../src/session/session-record.js';
import { eventsWith, labelOf, type PlantedBug, planted } from './planted-bug.js';

export const plantedReadBugs: readonly PlantedBug[] = [
  planted(
    'gives one entry less than the last so many',
    'history: a part without a position contains the latest entries, oldest first',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(
          key,
          slice.after === undefined ? { ...slice, limit: Math.max(1, slice.limit - 1) } : slice,
        ),
    }),
  ),
  planted(
    'says that there is more at the end',
    'history: parts in either direction from any position contain each entry once and in order',
    (inner) => ({
      entries: (key, slice) =>
        inner.entries(key, slice).map((found) => {
          const isFull =
            found.outcome === 'found' && 'limit' in slice && found.entries.length === slice.limit;
          return isFull ? { ...found, hasMore: true } : found;
        }),
    }),
  ),
  planted(
    'hands out the record that it keeps',
    'ownership: changing what was read affects neither the store nor other readers',
    (inner) => {
      const kept = new Map<string, SessionRecord>();
      return {
        find: (key, ...rest) =>
          inner.find(key, ...rest).map((record) => {
            if (record === undefined) return undefined;
            const label = `${labelOf(key)} ${record.sequence}`;
            const known = kept.get(label) ?? structuredClone(record);
            kept.set(label, known);
            return known;
          }),
      };
    },
  ),
  planted(
    'keeps the head that it was given, without a copy',
    'ownership: changing arguments after a call affects nothing in the store',
    (inner) => {
      const given = new Map<string, SessionHead>();
      return {
        begin: (commit) => {
          const { head } = commit.effects;
          given.set(labelOf(commit.key), head);
          return inner.begin(commit);
        },
        find: (key, ...rest) =>
          inner
            .find(key, ...rest)
            .map((record) => record && { ...record, head: given.get(labelOf(key)) ?? record.head }),
      };
    },
  ),
  planted(
    'keeps what is frozen without a copy of its parts',
    'ownership: changing arguments after a call affects nothing in the store',
    (inner) => {
      const frozen = new Map<string, SessionHead>();
      return {
        begin: (commit) => {
          const { head } = commit.effects;
          if (Object.isFrozen(head)) frozen.set(labelOf(commit.key), head);
          return inner.begin(commit);
        },
        find: (key, ...rest) =>
          inner
            .find(key, ...rest)
            .map(
              (record) => record && { ...record, head: frozen.get(labelOf(key)) ?? record.head },
            ),
      };
    },
  ),
  planted(
    'reads the events after position 10 from the beginning',
    'events: a reader continues after any position, page by page',
    (inner) => ({
      events: eventsWith(inner, (events) => ({
        read: (stream, position, limit) =>
          events.read(stream, position.length > 1 ? '0' : position, limit),
      })),
    }),
  ),
  planted(
    'says that its log is closed',
    'events: each watch can open the log, which stays open',
    (inner) => ({
      events: eventsWith(inner, () => ({ isClosed: () => true })),
    }),
  ),
  planted(
    'cannot open its log',
    'events: each watch can open the log, which stays open',
    (inner) => ({
      events: eventsWith(inner, () => ({
        open: () => err(storeUnavailable('no settings', 'not_applied')),
      })),
    }),
  ),
  planted(
    'never calls a listener',
    'events: a listener is called after changes until it is stopped',
    (inner) => ({
      events: eventsWith(inner, () => ({ listen: () => () => undefined })),
    }),
  ),
  planted(
    'tells two events in the wrong order',
    'events: every change has an event with its details, in order without gaps',
    (inner) => ({
      events: eventsWith(inner, (events) => ({
        read: (...args) =>
          events.read(...args).map((page) => {
            const [first, second, ...others] = page.events;
            return first && second ? { ...page, events: [second, first, ...others] } : page;
          }),
      })),
    }),
  ),
];
