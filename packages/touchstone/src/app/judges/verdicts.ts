import { type CalibrationLabel, isObject, parseJson } from '@touchstone/protocol';

const TEXTS = ['task', 'answer', 'criterion', 'by'] as const;

/** The verdicts in the `--json` output of an earlier check; undefined when the text is none. */
export function readVerdicts(text: string): readonly CalibrationLabel[] | undefined {
  const document = parseJson(text);
  if (!isObject(document) || !Array.isArray(document.verdicts)) return undefined;
  const verdicts: readonly unknown[] = document.verdicts;
  return verdicts.every(isVerdict) ? verdicts : undefined;
}

const isVerdict = (value: unknown): value is CalibrationLabel =>
  isObject(value) &&
  TEXTS.every((member) => typeof value[member] === 'string') &&
  typeof value.person === 'boolean' &&
  typeof value.judge === 'boolean';
