import { afterAll, beforeAll, describe } from 'vitest';
import { appendCases } from './cases/append.js';
import { bodyCases } from './cases/bodies.js';
import { commandCases } from './cases/commands.js';
import { connectionCases } from './cases/connections.js';
import { createCases } from './cases/create.js';
import { eventCases } from './cases/events.js';
import { getCases } from './cases/get.js';
import { historyCases } from './cases/history.js';
import { historyLimitCases } from './cases/history-limit.js';
import { inspectorCases } from './cases/inspector.js';
import { apiKeyCases } from './cases/keys.js';
import { listCases } from './cases/list.js';
import { protocolCases } from './cases/protocol.js';
import { type Mount, World } from './world.js';

/** The HTTP interface, as a client sees it, through one mount. */
export const describeHttp = (mount: Mount): void => {
  describe(`${mount.name}, ${mount.prefix === '' ? 'at the root' : `under ${mount.prefix}`}`, () => {
    const world = new World(mount);
    beforeAll(() => world.start());
    afterAll(() => world.stop());
    apiKeyCases(world);
    createCases(world);
    listCases(world);
    getCases(world);
    historyLimitCases(world);
    historyCases(world);
    commandCases(world);
    appendCases(world);
    eventCases(world);
    inspectorCases(world);
    protocolCases(world);
    bodyCases(world);
    connectionCases(world);
  });
};
