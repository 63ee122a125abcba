import type { Result } from 'neverthrow';
import type { Failure } from '../failure.js';
import { openRedisSource } from './redis-source.js';
import type { SourceSettings } from './settings.js';
import type { SessionSource } from './source.js';

/** The sessions that the settings name. */
export const openSource = ({ redis, tenant }: SourceSettings): Promise<Result<SessionSource, Failure>> =>
  openRedisSource(redis, tenant);
