import type { StateRecord } from 'colloquy';

/** Encrypts and decrypts the content of one session. */
export interface Cipher {
  readonly hide: (text: string) => string;
  readonly show: (text: string) => string;
}

/** A holder has at least one character. */
const HIDDEN = '-';

/**
 * A state without what people and programs have written into it, which stores do not need: it is
 * encrypted in the metadata.
 */
export const sealed = ({ hide }: Cipher, state: StateRecord): StateRecord => {
  const { metadata, operations, work } = state;
  const { lease } = work;
  const { holder, cancelled } = lease ?? {};
  const secret = hide(JSON.stringify({ metadata, operations, holder, cancelled }));
  return {
    ...state,
    operations: [],
    metadata: { sealed: secret },
    work: {
      ...work,
      ...(lease && { lease: { ...lease, holder: HIDDEN, ...(cancelled && { cancelled: {} }) } }),
    },
  };
};

/** The state that was sealed, with what the store has changed of it since. */
export const unsealed = ({ show }: Cipher, state: StateRecord): StateRecord => {
  const { metadata: stored = {}, ...rest } = state;
  const { metadata, operations, holder, cancelled } = JSON.parse(show(String(stored['sealed'])));
  const { lease } = state.work;
  return {
    ...rest,
    operations,
    ...(metadata !== undefined && { metadata }),
    work: {
      ...state.work,
      ...(lease && { lease: { ...lease, holder, ...(cancelled && { cancelled }) } }),
    },
  };
};
