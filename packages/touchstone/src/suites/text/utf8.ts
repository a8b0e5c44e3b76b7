const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a file, without its byte order mark; undefined when the bytes are not UTF-8. */
export function utf8(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The value that a file of JSON holds; undefined when it holds none. */
export function jsonOf(bytes: Buffer): { readonly value: unknown } | undefined {
  const text = utf8(bytes);
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
