/** The bare command or statement, which keeps no promise: the limit. */
export const BARE = 'by hand, bare';
/** What the bars are compared with. */
export const FAIR = 'by hand, the same guarantees';
export const ENGINE = 'engine';

export const fairOperations = [
  'append',
  'append with an operationId',
  'create',
  'page of ten',
  'get',
] as const;

export type FairOperation = (typeof fairOperations)[number];

export const fairGroup = (store: string, operation: FairOperation, isDurable: boolean): string =>
  `fair, ${store}${isDurable ? ', durable' : ''}: ${operation}`;

export const instructionsOf = (operation: string, subject: string, callers: number): string =>
  `server instructions of ${operation}, ${subject}, ${callers === 1 ? 'alone' : `in ${callers}s`}`;

export const cycleFigures = {
  scripts: 'Redis scripts of a claim and a release',
  diskWaits: 'waits for the disk of a claim and a release on Redis',
} as const;

export const GAP_FIGURE = 'longest gap of a 1 ms timer, 256 callers on SQLite';
export const IMPORT_FIGURE = "CPU of import 'colloquy' over bare node";
