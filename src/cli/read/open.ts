import type { Result } from 'neverthrow';
import type { Failure } from '../failure.js';
import { openRedisSource } from './redis-source.js';
import { openServiceSource } from './service-source.js';
import type { SourceSettings } from './settings.js';
import type { SessionSource } from './source.js';

/** The sessions that the settings name. */
export const openSource = async (settings: SourceSettings): Promise<Result<SessionSource, Failure>> =>
  'redis' in settings
    ? openRedisSource(settings.redis, settings.tenant)
    : openServiceSource(settings.url, settings.apiKey);
