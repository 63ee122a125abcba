import { isFields } from './fields.js';
import type { Counters } from './session.js';

export const isCounters = (value: unknown): value is Counters =>
  isFields(value) && Object.values(value).every((each) => typeof each === 'number');
