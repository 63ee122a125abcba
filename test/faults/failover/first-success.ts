import { planCreate } from '../../../src/plan/create.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { headOf, live } from '../../../src/testing/samples.js';

let inserted = 0;

/** Inserts sessions until one is acknowledged, and gives how long that took, in milliseconds. */
export const firstSuccess = async (store: SessionStore, tenant: string): Promise<number> => {
  const began = performance.now();
  for (;;) {
    inserted += 1;
    const answer = await store.begin(
      planCreate(tenant, {
        head: headOf(`probe-${inserted}`),
        state: live('IDLE'),
        entries: [],
        guards: {},
      }),
    );
    if (answer.isOk()) return performance.now() - began;
  }
};
