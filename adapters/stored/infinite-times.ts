/** Stands for `Infinity` in stored times: it compares like a time, and no time reaches it. */
export const NEVER = Number.MAX_SAFE_INTEGER;

export const finite = (ms: number): number => Math.min(ms, NEVER);

export const infinite = (ms: number): number => (ms >= NEVER ? Number.POSITIVE_INFINITY : ms);
