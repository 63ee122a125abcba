/** More came than is wanted. */
export const tooMuch = Symbol('too much');

/** Lets go of a body, whatever that makes of it: nobody waits for it. */
export const letGo = (body: { cancel(): Promise<unknown> } | null): void => {
  const gone = async () => body?.cancel();
  gone().catch(() => undefined);
};

/** The bytes of a body, as they come, and never more than `most` of them. */
export const readBody = async (
  { headers, body }: Response,
  most: number,
): Promise<readonly Uint8Array[] | typeof tooMuch> => {
  if (Number(headers.get('content-length')) > most) {
    letGo(body);
    return tooMuch;
  }
  const chunks: Uint8Array[] = [];
  if (body === null) return chunks;
  const reader = body.getReader();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    length += value.length;
    if (length > most) {
      letGo(reader);
      return tooMuch;
    }
    chunks.push(value);
  }
};

/** JSON in UTF-8; nothing if it is none. */
export const parseBody = (chunks: readonly Uint8Array[]): unknown => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
    return JSON.parse(texts.join('') + decoder.decode());
  } catch {
    return undefined;
  }
};
