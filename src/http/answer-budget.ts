/** What one answer takes of a budget, from the moment its size is known until the client has taken it. */
export interface Reservation {
  /** Whether there is room for the answer, which then counts. */
  admit(bytes: number): boolean;
  /** Gives the room back, once. */
  release(): void;
}

/**
 * Bounds the bytes of all answers of a handler that are being prepared or that clients have not taken yet. One tenant
 * gets half of it at most, so that others are served beside it. An answer that is larger than that is admitted while its
 * tenant has no other: it must be possible to read every session.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #bytesOf = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether even the smallest answer would be refused. */
  isSpent(tenant: string): boolean {
    return !this.#hasRoom(tenant, 1);
  }

  reserve(tenant: string): Reservation {
    let reserved = 0;
    const count = (bytes: number): void => {
      reserved += bytes;
      this.#bytes += bytes;
      const left = (this.#bytesOf.get(tenant) ?? 0) + bytes;
      if (left === 0) this.#bytesOf.delete(tenant);
      else this.#bytesOf.set(tenant, left);
    };
    return {
      admit: (bytes) => {
        if (!this.#hasRoom(tenant, bytes)) return false;
        count(bytes);
        return true;
      },
      release: () => count(-reserved),
    };
  }

  #hasRoom(tenant: string, bytes: number): boolean {
    const used = this.#bytesOf.get(tenant) ?? 0;
    if (used === 0) return bytes > this.#maxBytes / 2 || this.#bytes + bytes <= this.#maxBytes;
    return this.#bytes + bytes <= this.#maxBytes && used + bytes <= this.#maxBytes / 2;
  }
}
