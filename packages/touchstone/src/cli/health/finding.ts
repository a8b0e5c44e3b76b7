import { type Issue, isHostError } from '@touchstone/contract';

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

/** What an error says, all of it, without where in the program it happened. */
export function wordsOf(error: unknown): string {
  const issues = isHostError(error) ? error.details?.issues : undefined;
  if (Array.isArray(issues)) {
    return (issues as readonly Issue[])
      .map(({ pointer, message }) => `${pointer || '/'}: ${message}`)
      .join(' ');
  }
  return error instanceof Error ? error.message : String(error);
}
