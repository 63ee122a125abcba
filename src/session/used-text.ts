import type { Counters } from './session.js';

/** A counter may be named `constructor`. */
export const limitIn = (budget: Counters, name: string): number =>
  (Object.hasOwn(budget, name) ? budget[name] : 0) ?? 0;

/** The usage of a budget as text: `tokens 900 of 1000`. A limit of 0 means no limit. */
export const usedText = (
  name: string,
  used: number,
  limit: number,
  asText: (count: number) => string = String,
): string => `${name} ${asText(used)}${limit > 0 ? ` of ${asText(limit)}` : ''}`;
