import { defined, type Issue, isHostError } from '@touchstone/protocol';
import { wordsOf as systemWordsOf } from '../../../system-errors.js';

/** One thing `touchstone doctor` looked at. */
export type Finding = {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
};

const findingOf =
  (state: Finding['state']) =>
  (name: string, detail: string, hint?: string): Finding => ({ name, state, detail, ...defined({ hint }) });

export const ok = findingOf('ok');
export const broken = findingOf('broken');
export const warning = findingOf('warning');

/** `ok` with what the check says, or `broken` with why it failed. */
export const tried = (
  name: string,
  subject: string,
  hint: string | undefined,
  check: () => Promise<string>,
): Promise<Finding> =>
  check().then(
    (detail) => ok(name, detail),
    (error: unknown) => broken(name, `${subject}: ${wordsOf(error)}`, hint),
  );

/** So many of the things that are wrong with one file are told. */
const MOST = 10;

/** What an error says, without where in the program it happened. */
export function wordsOf(error: unknown): string {
  const { issues, file } = (isHostError(error) ? error.details : undefined) ?? {};
  if (!Array.isArray(issues)) return systemWordsOf(error);
  const told = (issues as readonly Issue[]).slice(0, MOST).map((issue) => issueWords(issue, file));
  return [...told, ...(issues.length > MOST ? ['And more.'] : [])].join(' ');
}

/** With its place, in the form that terminals and editors turn into links, when the file and the line are known. */
export function issueWords({ pointer, message, line, column }: Issue, file?: unknown): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${typeof file === 'string' && line !== undefined ? `${place} ` : ''}${pointer || '/'}: ${message}`;
}
