import type { EventLog, EventScope } from '../store.js';
import type { SessionEvent } from './event.js';

/** Who wants to know of events. */
export interface Subscriber extends EventScope {
  take(event: SessionEvent): void;
  /** Events are gone before they were read. */
  miss(): void;
}

interface TenantSubscribers {
  readonly ofAll: Set<Subscriber>;
  readonly bySession: Map<string, Set<Subscriber>>;
}

/** What a look at the stream has brought; where there were events, there may be more at once. */
type Found = 'events' | 'nothing' | 'failure';

/** Events that are asked for at a time. */
const PAGE = 500;

/**
 * Reads one stream for all who want to know of it, however many: one request at a time, and none while nobody listens.
 * While the store cannot be reached it asks again, and goes on where it was.
 */
export class Feed {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #pollMs: number;
  readonly #tenants = new Map<string, TenantSubscribers>();
  #count = 0;
  #position: string;
  #wake: () => void = () => undefined;
  #isRunning = false;
  #isNew = false;

  constructor(log: EventLog, stream: string, position: string, pollMs: number) {
    this.#log = log;
    this.#stream = stream;
    this.#position = position;
    this.#pollMs = pollMs;
  }

  /** Behind what has been passed on. */
  get position(): string {
    return this.#position;
  }

  get isIdle(): boolean {
    return this.#count === 0;
  }

  add(subscriber: Subscriber): void {
    const { tenant, sessionId } = subscriber;
    const known = this.#tenants.get(tenant) ?? { ofAll: new Set(), bySession: new Map() };
    this.#tenants.set(tenant, known);
    if (sessionId === undefined) known.ofAll.add(subscriber);
    else {
      const some = known.bySession.get(sessionId) ?? new Set();
      known.bySession.set(sessionId, some.add(subscriber));
    }
    this.#count += 1;
    if (this.#count === 1) void this.#run();
  }

  remove(subscriber: Subscriber): void {
    const { tenant, sessionId } = subscriber;
    const known = this.#tenants.get(tenant);
    const some = sessionId === undefined ? known?.ofAll : known?.bySession.get(sessionId);
    if (known === undefined || some === undefined || !some.delete(subscriber)) return;
    if (sessionId !== undefined && some.size === 0) known.bySession.delete(sessionId);
    if (known.ofAll.size === 0 && known.bySession.size === 0) this.#tenants.delete(tenant);
    this.#count -= 1;
    if (this.#count === 0) this.#wake();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const stopListening = this.#listen();
    while (this.#count > 0) {
      const found = await this.#read().catch((): Found => 'failure');
      if (found !== 'events') await this.#pause(found === 'failure' || stopListening === undefined);
    }
    stopListening?.();
    this.#isRunning = false;
  }

  /** A store that breaks its contract is asked again, as one that says nothing. */
  #listen(): (() => void) | undefined {
    try {
      return this.#log.listen?.(() => {
        this.#isNew = true;
        this.#wake();
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
    if (isTrimmed) for (const subscriber of this.#all()) subscriber.miss();
    this.#position = position;
    for (const event of events) this.#pass(event);
    return events.length > 0 ? 'events' : 'nothing';
  }

  #pass(event: SessionEvent): void {
    const known = this.#tenants.get(event.tenant);
    if (known === undefined) return;
    for (const subscriber of known.ofAll) subscriber.take(event);
    for (const subscriber of known.bySession.get(event.sessionId) ?? []) subscriber.take(event);
  }

  *#all(): Generator<Subscriber> {
    for (const { ofAll, bySession } of this.#tenants.values()) {
      yield* ofAll;
      for (const some of bySession.values()) yield* some;
    }
  }

  /** Until there is something new, or for a while where nobody would say so. */
  #pause(isTimed: boolean): Promise<void> {
    // The last subscriber may have left while the store was being asked.
    if (this.#isNew || this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = isTimed ? setTimeout(() => this.#wake(), this.#pollMs) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }
}
