import type { EventLog } from '../store.js';
import type { Inbox } from './inbox.js';
import { Pause } from './pause.js';

/** What a look at the stream has brought; where there were events, there may be more at once. */
type Found = 'events' | 'nothing' | 'failure';

const PAGE = 500;

/** Milliseconds between two looks at a stream whose store does not say when there is something new. */
const POLL_MS = 100;

/** No id of a session is empty. */
const keyOf = (tenant: string, sessionId = ''): string => `${tenant.length}/${tenant}${sessionId}`;

/**
 * Reads one stream for all who want to know of it, however many: one request at a time, and none while nobody listens.
 * While the store cannot be reached it asks again, and goes on where it was.
 */
export class Feed {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #inboxes = new Map<string, Set<Inbox>>();
  readonly #pause = new Pause();
  #position: string;
  #isRunning = false;
  #isNew = false;

  constructor(log: EventLog, stream: string, position: string) {
    this.#log = log;
    this.#stream = stream;
    this.#position = position;
  }

  /** Behind what has been passed on. */
  get position(): string {
    return this.#position;
  }

  get isIdle(): boolean {
    return this.#inboxes.size === 0;
  }

  add(inbox: Inbox): void {
    const key = keyOf(inbox.tenant, inbox.sessionId);
    this.#inboxes.set(key, (this.#inboxes.get(key) ?? new Set()).add(inbox));
    if (!this.#isRunning) void this.#run();
  }

  remove(inbox: Inbox): void {
    const key = keyOf(inbox.tenant, inbox.sessionId);
    const some = this.#inboxes.get(key);
    some?.delete(inbox);
    if (some?.size === 0) this.#inboxes.delete(key);
    if (this.isIdle) this.#pause.end();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const stopListening = this.#listen();
    while (!this.isIdle) {
      const found = await this.#read().catch((): Found => 'failure');
      // The last one may have left while the store was being asked.
      if (found === 'events' || this.#isNew || this.isIdle) continue;
      // Where nobody says that there is something new, it looks again after a while.
      const isPolling = found === 'failure' || stopListening === undefined;
      await this.#pause.wait(isPolling ? POLL_MS : Number.POSITIVE_INFINITY);
    }
    stopListening?.();
    this.#isRunning = false;
  }

  /** A store that breaks its contract is asked again, as one that says nothing. */
  #listen(): (() => void) | undefined {
    try {
      return this.#log.listen?.(() => {
        this.#isNew = true;
        this.#pause.end();
      });
    } catch {
      return undefined;
    }
  }

  async #read(): Promise<Found> {
    this.#isNew = false;
    const page = await this.#log.read(this.#stream, this.#position, PAGE);
    if (page.isErr()) return 'failure';
    const { events, position, isTrimmed } = page.value;
    if (isTrimmed) for (const some of this.#inboxes.values()) for (const inbox of some) inbox.miss();
    this.#position = position;
    for (const event of events) {
      for (const inbox of this.#inboxes.get(keyOf(event.tenant)) ?? []) inbox.take(event);
      for (const inbox of this.#inboxes.get(keyOf(event.tenant, event.sessionId)) ?? []) inbox.take(event);
    }
    return events.length > 0 ? 'events' : 'nothing';
  }
}
