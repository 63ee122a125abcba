import type { SessionStore } from '../../store/session-store.js';
import { checkRandomCommits } from '../random/random-commits.js';
import type { StoreCase } from '../store-case.js';

/** A slow store is given fewer sequences, so that a case ends before the runner's timeout. */
const MAX_MS = 1500;

const randomCase = (from: number, hasStatuses: boolean): StoreCase<SessionStore> => ({
  name: `random commits: match the model, from seed ${from}`,
  run: (store, second) => {
    const options = { from, sequences: 12, steps: 60, maxMs: MAX_MS };
    return checkRandomCommits({ store, second, hasStatuses }, options);
  },
});

export const randomCommits: readonly StoreCase<SessionStore>[] = [randomCase(1, false)];

/** With lists by status and limits of live sessions. */
export const randomCommitsAndStatuses: readonly StoreCase<SessionStore>[] = [
  randomCase(101, true),
  randomCase(201, true),
];
