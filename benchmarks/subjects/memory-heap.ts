import { MemorySessionStore, SessionService } from '../colloquy.js';
import { seedSessions } from '../seed.js';

/**
 * `memory-heap.js SESSIONS ENTRIES`, with `--expose-gc`: prints how many bytes of heap a session
 * takes.
 */
const [count = 0, entries = 0] = process.argv.slice(2).map(Number);
const collect = globalThis.gc ?? (() => undefined);

const sessions = new SessionService({ store: new MemorySessionStore() });
await seedSessions(sessions, 100, entries);
collect();
const before = process.memoryUsage().heapUsed;
await seedSessions(sessions, count, entries);
collect();
const after = process.memoryUsage().heapUsed;
console.log(Math.round((after - before) / count));
// The sessions must live until here.
if ((await sessions.list()).isErr()) process.exitCode = 1;
