/** One thing `touchstone doctor` looked at. */
export type Finding = {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
};

export const ok = (name: string, detail: string): Finding => ({ name, state: 'ok', detail });
export const broken = (name: string, detail: string, hint?: string): Finding => ({
  name,
  state: 'broken',
  detail,
  ...(hint !== undefined && { hint }),
});
export const warning = (name: string, detail: string, hint?: string): Finding => ({
  name,
  state: 'warning',
  detail,
  ...(hint !== undefined && { hint }),
});

/** What an error says, without where it happened. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
