import type { SessionService } from '../../../src/service/session-service.js';
import type { Append, Look } from './anomalies.js';

/** What a client has done and seen. */
export interface Seen {
  readonly appends: readonly Append[];
  readonly looks: readonly Look[];
}

interface Plan {
  /** Part of the text of each entry; no other client has it. */
  readonly name: string;
  readonly calls: number;
  readonly random: () => number;
  /** The time on a scale that all clients share. */
  readonly instant: () => number;
  readonly beforeCall?: () => void;
}

/** A client that appends, reads, pauses and resumes at random. */
export const witness = async (sessions: SessionService, id: string, plan: Plan): Promise<Seen> => {
  const { name, calls, random, instant, beforeCall } = plan;
  const appends: Append[] = [];
  const looks: Look[] = [];
  for (let call = 0; call < calls; call += 1) {
    beforeCall?.();
    const began = instant();
    const dice = random();
    if (dice < 0.5) {
      const content = `${name}.${call}`;
      const options = dice < 0.25 ? { operationId: content } : {};
      const answer = await sessions.append(id, [{ role: 'user', content }], options);
      const outcome = answer.match(
        () => 'applied' as const,
        (error) => (error.type === 'store_unavailable' ? error.outcome : ('not_applied' as const)),
      );
      appends.push({ content, outcome, began, ended: instant() });
    } else if (dice < 0.9) {
      const found = (await sessions.get(id)).unwrapOr(undefined);
      if (found === undefined) continue;
      const history = found.history.map(({ content }) => content);
      looks.push({ status: found.status, history, began, ended: instant() });
    } else {
      await sessions[dice < 0.95 ? 'pause' : 'resume'](id);
    }
  }
  return { appends, looks };
};
