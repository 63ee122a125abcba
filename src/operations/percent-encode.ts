/** Percent-encodes a text. Unlike `encodeURIComponent` alone, accepts lone surrogates. */
export const percentEncode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
