import type { Json, JsonObject } from '@touchstone/protocol';

/** An assertion of promptfoo, with its value filled in for one test. */
export type Assertion = {
  /** Without `not-`. */
  readonly type: string;
  readonly not: boolean;
  readonly value: Json | undefined;
  readonly threshold: number | undefined;
  /** As it stands in the source. */
  readonly raw: JsonObject;
  readonly vars: JsonObject;
};

/** A check that an assertion becomes, or why there is none. */
export type Outcome =
  | {
      readonly check: string;
      readonly args: JsonObject;
      /** The sentence of a check that a judge decides. */
      readonly says?: string;
      /** `not` is in the arguments already. */
      readonly turned?: boolean;
      /** Why it means something else now. */
      readonly changed?: string;
    }
  | { readonly lost: string; readonly hint?: string };

export type Converter = (given: Assertion) => Outcome;

export const lost = (why: string, hint?: string): Outcome => ({
  lost: why,
  ...(hint !== undefined && { hint }),
});

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Texts of a list, or of one text with commas. */
export function textsOf(value: Json | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return splitAtCommas(value);
  if (!Array.isArray(value)) return undefined;
  return (value as readonly Json[]).every(isScalar) ? (value as readonly Json[]).map(String) : undefined;
}

/** Fields may stand in double quotes, which may be doubled inside. */
const FIELD = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/gy;

function splitAtCommas(text: string): readonly string[] {
  const fields: string[] = [];
  for (const [, quoted, plain] of text.matchAll(FIELD)) {
    const field = quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"');
    if (field !== '') fields.push(field);
  }
  return fields;
}
