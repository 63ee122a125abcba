import { ok } from 'neverthrow';
import type { SessionHead } from '../../src/session/session-record.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

const countsNoSequence =
  'sequence: 1 after insert, and one more after each replace and each append';

export const plantedChangeBugs: readonly PlantedBug[] = [
  planted('never counts sequence', countsNoSequence, (inner) => ({
    find: (...args) => inner.find(...args).map((record) => record && { ...record, sequence: 1 }),
    list: (...args) =>
      inner.list(...args).map((page) => ({
        ...page,
        records: page.records.map((record) => ({ ...record, sequence: 1 })),
      })),
  })),
  planted(
    'accepts a stale replace',
    'replace: a state of any other revision is stale, and writes nothing',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const stored = inner.findState(key)._unsafeUnwrap() ?? previous;
        return inner.replace(
          key,
          next.revision <= stored.revision ? stored : previous,
          next,
          options,
        );
      },
    }),
  ),
  planted(
    'accepts a replace from the future',
    'replace: a state of any other revision is stale, and writes nothing',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const stored = inner.findState(key)._unsafeUnwrap() ?? previous;
        return inner.replace(
          key,
          next.revision > stored.revision ? stored : previous,
          next,
          options,
        );
      },
    }),
  ),
  planted(
    'brings a removed session back by replace',
    'remove: a removed session is gone everywhere',
    (inner) => {
      const heads = new Map<string, SessionHead>();
      return {
        insert: (tenant, head, state, opening) => {
          heads.set(labelOf({ tenant, id: head.id }), structuredClone(head));
          return inner.insert(tenant, head, state, opening);
        },
        replace: (key, previous, next, options) =>
          inner.replace(key, previous, next, options).andThen((outcome) => {
            const head = heads.get(labelOf(key));
            if (outcome !== 'missing' || head === undefined) return ok(outcome);
            return inner.insert(key.tenant, head, next).map(() => 'replaced' as const);
          }),
      };
    },
  ),
  planted(
    'removes whatever revision it finds',
    'remove: with a revision, only a state of that revision is removed',
    (inner) => ({ remove: (key) => inner.remove(key) }),
  ),
  planted(
    'leaves a removed session in its index',
    'remove: the other sessions stay, in their order',
    (inner) => {
      const left = new Map<string, number>();
      return {
        remove: (key, removal) =>
          inner.remove(key, removal).map((outcome) => {
            if (outcome === 'removed') left.set(key.tenant, (left.get(key.tenant) ?? 0) + 1);
            return outcome;
          }),
        list: (...args) =>
          inner
            .list(...args)
            .map((page) => ({ ...page, total: page.total + (left.get(args[0]) ?? 0) })),
      };
    },
  ),
  planted(
    "finds another tenant's session",
    'tenants: no call reaches another tenant\u2019s session, or reveals that it exists',
    (inner) => {
      const owners = new Map<string, string>();
      return {
        insert: (tenant, head, state, opening) => {
          owners.set(head.id, tenant);
          return inner.insert(tenant, head, state, opening);
        },
        find: (key, ...rest) =>
          inner.find(key, ...rest).andThen((record) => {
            const tenant = owners.get(key.id);
            return record !== undefined || tenant === undefined
              ? ok(record)
              : inner.find({ ...key, tenant }, ...rest);
          }),
      };
    },
  ),
];
