import { nanoid } from 'nanoid';

export const ID_LENGTH = 12;

/** 72 random bits: enough among the writes of one session. */
export const newWriteId = (): string => nanoid(ID_LENGTH);
