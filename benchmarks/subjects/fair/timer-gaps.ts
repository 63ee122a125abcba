import { serviceOf } from '../../clock.js';
import { GAP_FIGURE } from '../../fair-figures.js';
import { quantileOf } from '../../harness/statistics.js';
import { idOf } from '../stores/compared-store.js';
import { writeSessions } from '../stores/fill.js';
import { sqlite } from '../stores/sqlite.js';
import { type Count, must, type Suite } from '../suite.js';

const CALLERS = 256;
const TENANT = 'gaps';

/** Milliseconds of the longest gap between two ticks of a timer of a millisecond. */
const longestGap = async (work: Promise<unknown>): Promise<number> => {
  let [longest, last] = [0, performance.now()];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  await work;
  look();
  clearInterval(timer);
  return longest;
};

/** Appends of many callers for a while: no turn of the event loop may become long. */
const counts: Suite['counts'] = async ({ quick }): Promise<readonly Count[]> => {
  const database = await sqlite.open({ sync: 'always' });
  try {
    const store = database.open(true);
    await writeSessions(store, TENANT, { to: CALLERS, entries: 1 });
    const sessions = serviceOf(store).forTenant(TENANT);
    let number = 0;
    const callUntil = async (caller: number, end: number): Promise<void> => {
      while (performance.now() < end) {
        number += 1;
        const content = `What comes after step ${number}?`;
        await must(sessions.append(idOf(caller), [{ role: 'user', content }]));
      }
    };
    const gaps: number[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      const end = performance.now() + (quick ? 200 : 2000);
      const callers = Array.from({ length: CALLERS }, (_, at) => callUntil(at, end));
      gaps.push(await longestGap(Promise.all(callers)));
    }
    return [{ figure: GAP_FIGURE, value: quantileOf(gaps, 0.5), unit: 'ms' }];
  } finally {
    await database.close();
  }
};

export const timerGaps: Suite = { name: 'fair-timer', counts };
