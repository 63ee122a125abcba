import type { EventHub, HubSource } from './event-hub.js';

/** The part of a service that a watch needs. */
export interface WatchSource extends HubSource {
  readonly tenant: string;
  /** Set if the store has events. */
  readonly hub: EventHub | undefined;
}
