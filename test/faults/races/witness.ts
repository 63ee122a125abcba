import type { SessionService } from '../../../src/service/session-service.js';
import { Engine } from './engine.js';
import type { Call } from './linear.js';
import type { Command } from './model.js';

/** The key of the one session that witnesses call. */
export const KEY = 'seen';

interface Plan {
  /** Part of the text of each entry; no other client has it. */
  readonly name: string;
  readonly calls: number;
  readonly random: () => number;
  /** The time on a scale that all clients share. */
  readonly instant: () => number;
  readonly beforeCall?: () => void;
}

const commandOf = (dice: number, text: string): Command => {
  if (dice < 0.25) return { type: 'append', key: KEY, text, name: text };
  if (dice < 0.5) return { type: 'append', key: KEY, text };
  if (dice < 0.9) return { type: 'get', key: KEY };
  return { type: dice < 0.95 ? 'pause' : 'resume', key: KEY };
};

/**
 * A client that appends, reads, pauses and resumes at random: its calls, without those that were
 * certainly not applied.
 */
export const witness = async (
  sessions: SessionService,
  id: string,
  plan: Plan,
): Promise<readonly Call[]> => {
  const { name, calls, random, instant, beforeCall } = plan;
  const engine = new Engine(sessions, () => id);
  const seen: Call[] = [];
  for (let call = 0; call < calls; call += 1) {
    beforeCall?.();
    const command = commandOf(random(), `${name}.${call}`);
    const began = instant();
    const answer = await engine.run(command);
    if (answer === 'unknown') seen.push({ command, began });
    else if (answer !== 'not_applied') {
      seen.push({
        command,
        began,
        answered: { answer, ended: instant(), position: engine.position },
      });
    }
  }
  return seen;
};
