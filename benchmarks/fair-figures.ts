import type { Sync } from './subjects/stores/compared-store.js';

/** The bare command or statement, which keeps no promise: the limit. */
export const BARE = 'by hand, bare';
/** What the bars are compared with. */
export const FAIR = 'by hand, the same guarantees';
export const ENGINE = 'engine';

export const fairWriteOperations = ['append', 'append with an operationId', 'create'] as const;

export type FairOperation = (typeof fairWriteOperations)[number] | 'page of ten' | 'get';

const syncNames = { always: ', durable', later: ', synced later', never: '' } as const;

export const fairGroup = (store: string, operation: FairOperation, sync: Sync): string =>
  `fair, ${store}${syncNames[sync]}: ${operation}`;

export const instructionsOf = (operation: string, subject: string, callers: number): string =>
  `server instructions of ${operation}, ${subject}, ${callers === 1 ? 'alone' : `in ${callers}s`}`;

export const cycleFigures = {
  scripts: 'Redis scripts of a claim and a release',
  diskWaits: 'waits for the disk of a claim and a release on Redis',
} as const;

export const GAP_FIGURE = 'longest gap of a 1 ms timer, 256 callers on SQLite';
export const IMPORT_FIGURE = "CPU of import 'colloquy' over bare node";
