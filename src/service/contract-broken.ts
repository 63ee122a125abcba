/** What to throw where a store answers what it must not: `perform` makes `store_unavailable` of it. */
export const contractBroken = (method: string, answer: never): TypeError =>
  new TypeError(`the store's ${method} answered ${JSON.stringify(answer)}`);
