// A process that only sweeps, until its one session has expired.
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';

let now = Date.UTC(2026, 0, 31);
const clock = {
  now: () => {
    now += 1000;
    return now;
  },
};
const sessions = new SessionService({
  store: new MemorySessionStore({ reportEnds: true }),
  clock,
  idleTimeout: 30,
});
const sweeper = createSweeper(sessions, {
  interval: 0.01,
  onEnded: ({ endReason }) => {
    console.log(endReason);
    void sweeper.stop();
  },
});
void sessions.create({ face: 'ada', profile: 'tutor' }).then((created) => {
  created._unsafeUnwrap();
  sweeper.start();
});
