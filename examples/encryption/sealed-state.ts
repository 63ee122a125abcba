import type { Guards, StateRecord } from 'colloquy';

/** Encrypts and decrypts the content of one session. */
export interface Cipher {
  readonly hide: (text: string) => string;
  readonly show: (text: string) => string;
  /** Hides the digest of what has this name, or shows it again. Each name has its own mask. */
  readonly mask: (name: string, digest: string) => string;
}

/** A holder has at least one character. */
const HIDDEN = '-';

type Work = StateRecord['work'];

const hiddenLease = ({ releaseDigest: _, ...lease }: NonNullable<Work['lease']>) => ({
  ...lease,
  holder: HIDDEN,
  ...(lease.cancelled && { cancelled: {} }),
});

const hiddenFailure = ({ error: _, ...failure }: NonNullable<Work['failure']>) => failure;

type Operation = NonNullable<Guards['operation']>;

export const maskedOperation = ({ mask }: Cipher, { id, digest }: Operation): Operation => ({
  id,
  digest: mask(`operation ${id}`, digest),
});

/** The operation id and the digest of the latest spend; '' for none. */
export const maskedSpend = (cipher: Cipher, last: string): string => {
  const [id = '', digest] = last.split(':');
  if (digest === undefined) return last;
  return `${id}:${maskedOperation(cipher, { id, digest }).digest}`;
};

const maskedBudget = (cipher: Cipher, { budget }: StateRecord) =>
  budget && { budget: { ...budget, last: maskedSpend(cipher, budget.last) } };

/**
 * A state without what people and programs have written into it, and without digests of it, which
 * stores do not need: they are encrypted in the metadata.
 */
export const sealed = (cipher: Cipher, state: StateRecord): StateRecord => {
  const { metadata, operations, work } = state;
  const { lease, failure } = work;
  const { holder, cancelled, releaseDigest } = lease ?? {};
  const secret = {
    ...{ metadata, operations },
    lease: { holder, cancelled, releaseDigest },
    failure: { error: failure?.error },
  };
  return {
    ...state,
    ...maskedBudget(cipher, state),
    operations: [],
    metadata: { sealed: cipher.hide(JSON.stringify(secret)) },
    work: {
      ...work,
      ...(lease && { lease: hiddenLease(lease) }),
      ...(failure && { failure: hiddenFailure(failure) }),
    },
  };
};

/** The state that was sealed, with what the store has changed of it since. */
export const unsealed = (cipher: Cipher, state: StateRecord): StateRecord => {
  const { metadata: stored = {}, ...rest } = state;
  const { metadata, operations, ...secret } = JSON.parse(cipher.show(String(stored['sealed'])));
  const { lease, failure } = state.work;
  return {
    ...rest,
    ...maskedBudget(cipher, state),
    operations,
    ...(metadata !== undefined && { metadata }),
    work: {
      ...state.work,
      ...(lease && { lease: { ...lease, ...secret.lease } }),
      ...(failure && { failure: { ...failure, ...secret.failure } }),
    },
  };
};
