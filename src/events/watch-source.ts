import type { EventHub } from './event-hub.js';
import type { HubSource } from './hub-source.js';

/** The part of a service that a watch needs. */
export interface WatchSource extends HubSource {
  readonly tenant: string;
  /** Set if the store has events. */
  readonly hub: EventHub | undefined;
}
