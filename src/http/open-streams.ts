/** Maximum numbers of open streams. */
export interface StreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerTenant: number;
}

/** Counts the open streams, in total and per tenant. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #ofTenant = new Map<string, number>();
  #all = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Counts a new stream. Returns the function that ends it; undefined if the maximum is reached. */
  open(tenant: string): (() => void) | undefined {
    const { maxStreams, maxStreamsPerTenant } = this.#limits;
    const before = this.#ofTenant.get(tenant) ?? 0;
    if (this.#all >= maxStreams || before >= maxStreamsPerTenant) return undefined;
    this.#all += 1;
    this.#ofTenant.set(tenant, before + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#close(tenant);
      isOpen = false;
    };
  }

  #close(tenant: string): void {
    this.#all -= 1;
    const left = (this.#ofTenant.get(tenant) ?? 1) - 1;
    if (left === 0) this.#ofTenant.delete(tenant);
    else this.#ofTenant.set(tenant, left);
  }
}
