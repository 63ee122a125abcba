/** Bytes from which on writing an answer takes long enough for others to notice. */
const LARGE_BYTES = 256 * 1024;

/** What one answer takes of a budget, from the moment its size is known until the client has taken it. */
export interface Reservation {
  /** Whether there is room for the answer, which then counts. Never where the reservation has been released. */
  admit(bytes: number): boolean;
  /**
   * Waits until a large answer may be written: one at a time, each in its own turn of the event loop, so that others are
   * served between two of them. A small answer does not wait.
   */
  turn(): Promise<void>;
  /** Gives the room back. */
  release(): void;
}

/**
 * Bounds the bytes of all answers of a handler that are being prepared or that clients have not taken yet. One tenant
 * gets half of it at most, so that others are served beside it. It must be possible to read every session: an answer that
 * is larger than that half counts as the half, and so is admitted while its tenant has no other.
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
        // The store has answered after the time-out: nobody waits any more.
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
