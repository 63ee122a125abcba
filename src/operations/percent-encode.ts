/** Percent-encodes as `encodeURIComponent` does, which throws where a text is not well-formed. */
export const percentEncode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
