/** How many streams may be open. */
export interface StreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerTenant: number;
}

/** Counts the streams that are open, in all and of each tenant. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #ofTenant = new Map<string, number>();
  #all = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Counts one more. Gives what counts it off again, once; nothing where there are too many. */
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
