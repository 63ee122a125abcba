import { SessionService } from '../../../src/service/session-service.js';
import { playTurn } from '../../adapters/openai-agents/play-turn.js';
import { openStoreAt } from '../store-address.js';

/** Runs an agent turn, and kills its process at a given step. */
const { address, first, step, ...turn } = JSON.parse(process.argv[2] ?? '{}');

const { store } = openStoreAt(address);
const sessions = new SessionService({ store });
const at = (name: string): void => {
  if (name === step) process.kill(process.pid, 'SIGKILL');
};
const outcome = await playTurn(sessions, first, { ...turn, at });
process.stderr.write(`it was not killed ${step}: ${JSON.stringify(outcome)}\n`, () =>
  process.exit(1),
);
