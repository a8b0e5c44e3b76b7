/** A secret this host knows, under the name that stands in for it. */
export type Secret = { readonly id: string; readonly value: string };

/** Shorter values turn up in ordinary text by chance; replacing them would garble it and hide nothing. */
const SHORTEST_SECRET = 8;

/**
 * The text with every known secret replaced by its name. Longest first, so that a secret containing another is
 * replaced whole; what has been replaced is never looked at again, so a marker cannot be mistaken for content.
 */
export function redactSecrets(text: string, secrets: readonly Secret[]): string {
  const byLength = secrets
    .filter(({ value }) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.value.length - a.value.length);
  return redactFrom(text, byLength, 0);
}

function redactFrom(text: string, secrets: readonly Secret[], index: number): string {
  const secret = secrets[index];
  if (!secret) return text;
  const parts = text.split(secret.value).map((part) => redactFrom(part, secrets, index + 1));
  return parts.join(`[REDACTED:${secret.id}]`);
}
