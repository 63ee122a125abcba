import type { SessionChange } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { OperationResults } from './operation-results.js';
import type { SharedResults } from './session-operations.js';

/** The results of a service that those of a client differ from. */
export interface ServiceResults<T extends SessionSchemas>
  extends Pick<OperationResults<T>, Exclude<keyof SharedResults, 'watch'>> {
  readonly watch: SessionChange<T>;
}
