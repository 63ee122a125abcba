/** Minimum bytes of an answer that waits for its turn: writing it blocks the event loop for a noticeable time. */
const LARGE_BYTES = 256 * 1024;

/** One answer's share of a budget, from the time its size is known until the client has received it. */
export interface Reservation {
  /** Reserves room for the answer. Returns false if there is not enough, or if the reservation was released. */
  admit(bytes: number): boolean;
  /**
   * Waits until a large answer may be written. Only one is written per turn of the event loop, so that other requests
   * are served in between. A small answer does not wait.
   */
  turn(): Promise<void>;
  /** Returns the reserved room to the budget. */
  release(): void;
}

/**
 * Limits the total bytes of a handler's pending answers: those in preparation and those that clients have not received.
 * One tenant gets at most half of the limit, so that it cannot block the others. Every session must remain readable: an
 * answer above that half counts as the half, and is admitted if its tenant has no other pending answer.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  readonly #maxBytesOfTenant: number;
  #bytes = 0;
  readonly #bytesOf = new Map<string, number>();
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesOfTenant = maxBytes / 2;
  }

  /** Whether even the smallest answer would be refused. */
  isSpent(tenant: string): boolean {
    return !this.#hasRoom(tenant, 1);
  }

  reserve(tenant: string): Reservation {
    let reserved = 0;
    let isReleased = false;
    return {
      admit: (bytes) => {
        // The store answered after the timeout, so the request is already over.
        if (isReleased || !this.#hasRoom(tenant, bytes)) return false;
        const counted = this.#counted(bytes);
        reserved += counted;
        this.#add(tenant, counted);
        return true;
      },
      turn: async () => {
        if (reserved < LARGE_BYTES) return;
        this.#lastTurn = this.#lastTurn.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
        await this.#lastTurn;
      },
      release: () => {
        isReleased = true;
        this.#add(tenant, -reserved);
        reserved = 0;
      },
    };
  }

  #counted(bytes: number): number {
    return Math.min(bytes, this.#maxBytesOfTenant);
  }

  #hasRoom(tenant: string, bytes: number): boolean {
    const counted = this.#counted(bytes);
    const used = this.#bytesOf.get(tenant) ?? 0;
    return used + counted <= this.#maxBytesOfTenant && this.#bytes + counted <= this.#maxBytes;
  }

  #add(tenant: string, bytes: number): void {
    this.#bytes += bytes;
    const used = (this.#bytesOf.get(tenant) ?? 0) + bytes;
    if (used === 0) this.#bytesOf.delete(tenant);
    else this.#bytesOf.set(tenant, used);
  }
}
