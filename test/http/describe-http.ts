import { afterAll, beforeAll, describe } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { appendCases } from './cases/append.js';
import { bodyCases } from './cases/bodies.js';
import { commandCases } from './cases/commands.js';
import { connectionCases } from './cases/connections.js';
import { createCases } from './cases/create.js';
import { eventCases } from './cases/events.js';
import { exactIntegerCases } from './cases/exact-integers.js';
import { getCases } from './cases/get.js';
import { historyCases } from './cases/history.js';
import { historyLimitCases } from './cases/history-limit.js';
import { inspectorCases } from './cases/inspector.js';
import { apiKeyCases } from './cases/keys.js';
import { labelCases } from './cases/labels.js';
import { leaseCases } from './cases/leases.js';
import { listCases } from './cases/list.js';
import { protocolCases } from './cases/protocol.js';
import { rewindCases } from './cases/rewinds.js';
import { strictHandlingCases } from './cases/strict-handling.js';
import { workCases } from './cases/work.js';
import { type Mount, World } from './world.js';

/** What a mount can break: paths, headers, bodies, streams, and when a connection ends. */
const mountCases = [
  apiKeyCases,
  createCases,
  historyCases,
  eventCases,
  inspectorCases,
  protocolCases,
  bodyCases,
  exactIntegerCases,
  connectionCases,
] as const;

const commonCases = [
  listCases,
  getCases,
  historyLimitCases,
  commandCases,
  appendCases,
  rewindCases,
  leaseCases,
  workCases,
  labelCases,
  strictHandlingCases,
] as const;

const allCases = [...mountCases, ...commonCases] as const;

/** What a store can break: all but paths, bodies and connections. */
const storeCases = [createCases, historyCases, eventCases, inspectorCases, ...commonCases] as const;

/**
 * Of these, what carries something that each store makes in its own way: positions, ids of events,
 * labels, pages.
 */
const fewStoreCases = [historyCases, eventCases, rewindCases, labelCases] as const;

type Define = (world: World) => void;

const describeCases = (mount: Mount, cases: readonly Define[], store?: SessionStore): void => {
  describe(`${mount.name}, ${mount.prefix === '' ? 'at the root' : `under ${mount.prefix}`}`, () => {
    const world = new World(mount, store);
    beforeAll(() => world.start());
    afterAll(() => world.stop());
    for (const define of cases) define(world);
  });
};

/** The complete HTTP interface, as a client sees it, through the mount that adds least to it. */
export const describeHttp = (mount: Mount): void => describeCases(mount, allCases);

/**
 * What a store can break. The contract has tried the store itself, and another mount all of HTTP.
 */
export const describeHttpOn = (mount: Mount, store: SessionStore): void =>
  describeCases(mount, moreIfLong<readonly Define[]>(fewStoreCases, storeCases), store);

/**
 * What a mount and its queries can break: once for each adapter. All cases with `npm run
 * test:long`.
 */
export const describeAdapter = (mount: Mount): void =>
  describeCases(mount, moreIfLong<readonly Define[]>([...mountCases, listCases], allCases));

/** What a mount can break, for another way to use an adapter. */
export const describeMount = (mount: Mount): void => describeCases(mount, mountCases);

/**
 * What the parser before a mount, or none, can break, where another mount of the same framework has
 * more cases.
 */
export const describeBodies = (mount: Mount): void =>
  describeCases(mount, [createCases, historyCases, bodyCases]);
