import { isObject, type Json, type JsonObject } from '@touchstone/protocol';

const PLACEHOLDER = /\{\{\s*(item|sample)\.([\w.]+)\s*\}\}/g;

/** The part of the answer that a text stands for: `""` is all of it. */
export function answerPointer(text: string): string | undefined {
  const [, path] = /^\{\{\s*sample\.(output_text|output_json(?:\.\w+)*)\s*\}\}$/.exec(text.trim()) ?? [];
  if (path === undefined) return undefined;
  return path
    .split('.')
    .slice(1)
    .map((step) => `/${step}`)
    .join('');
}

/** A text with the members of the item; undefined when it names what is not there, or the answer without a word for it. */
export function fillItem(text: string, item: Json, answer?: string): string | undefined {
  let isWhole = true;
  const filled = text.replace(PLACEHOLDER, (_, of: string, path: string) => {
    const value = of === 'item' ? memberAt(item, path.split('.')) : answer;
    isWhole &&= value !== undefined;
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  return isWhole && !filled.includes('{{') ? filled : undefined;
}

const memberAt = (value: Json, steps: readonly string[]): Json | undefined =>
  steps.reduce<Json | undefined>(
    (inner, step) =>
      isObject(inner) && Object.hasOwn(inner, step) ? (inner as JsonObject)[step] : undefined,
    value,
  );
