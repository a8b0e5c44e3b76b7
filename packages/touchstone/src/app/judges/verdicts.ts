import { type CalibrationLabel, isObject, parseJson } from '@touchstone/protocol';

const TEXTS = ['task', 'answer', 'criterion', 'by'] as const;

/** What an earlier check found, and whose verdicts they were. */
export type EarlierCheck = {
  readonly labels: readonly CalibrationLabel[];
  /** The digest of the judge; absent when it is not told. */
  readonly judge?: string;
};

/** The verdicts in the `--json` output of an earlier check; undefined when the text is none. */
export function readVerdicts(text: string): EarlierCheck | undefined {
  const document = parseJson(text);
  if (!isObject(document) || !Array.isArray(document.verdicts)) return undefined;
  const verdicts: readonly unknown[] = document.verdicts;
  if (!verdicts.every(isVerdict)) return undefined;
  const digest = isObject(document.judge) ? document.judge.digest : undefined;
  return { labels: verdicts, ...(typeof digest === 'string' && { judge: digest }) };
}

const isVerdict = (value: unknown): value is CalibrationLabel =>
  isObject(value) &&
  TEXTS.every((member) => typeof value[member] === 'string') &&
  typeof value.person === 'boolean' &&
  typeof value.judge === 'boolean';
