import type { Signal } from '@touchstone/sdk';
import { UsageError } from '../../io.js';
import type { Where } from '../../session.js';

/** Options of `touchstone annotate`, as the parser hands them over. */
export type AnnotateOptions = Where & {
  readonly rating?: number;
  readonly label?: string;
  readonly flag?: boolean;
  readonly correction?: string;
  readonly score?: number;
  readonly passed?: boolean;
  readonly failed?: boolean;
  readonly task?: string;
  readonly note?: string;
  readonly list?: boolean;
  readonly bodies?: boolean;
};

type SignalOption = keyof Pick<
  AnnotateOptions,
  'rating' | 'label' | 'flag' | 'correction' | 'score' | 'passed' | 'failed'
>;

const SIGNALS: readonly SignalOption[] = [
  'rating',
  'label',
  'flag',
  'correction',
  'score',
  'passed',
  'failed',
];
const OVERRIDES: readonly SignalOption[] = ['score', 'passed', 'failed'];
const flags = (names: readonly string[]): string => names.map((name) => `--${name}`).join(', ');

export const isOverride = (options: AnnotateOptions): boolean =>
  OVERRIDES.some((name) => options[name] !== undefined);

/** One thing is said at a time, and an override with its reason. */
export function checkAnnotateOptions(options: AnnotateOptions): void {
  const said = SIGNALS.filter((name) => options[name] !== undefined);
  if (options.list) checkListing(options, said);
  else checkSignal(options, said);
}

function checkSignal(options: AnnotateOptions, said: readonly SignalOption[]): void {
  if (said.length === 0)
    throw new UsageError(
      `What is to be said of it? Give one of ${flags(SIGNALS)}.`,
      'See what has been said with --list.',
    );
  if (said.length > 1)
    throw new UsageError(
      `${flags(said)} say different things.`,
      'Give one of them, and the next in a second command.',
    );
  checkTexts(options);
  if (!isOverride(options)) return;
  const missing = (['task', 'note'] as const).filter((name) => !options[name]?.trim());
  if (missing.length > 0)
    throw new UsageError(
      `${flags(said)} overrides a score, which needs ${missing.map((name) => `--${name}`).join(' and ')}.`,
      `For example: --task late-refund ${flags(said)}${options.score === undefined ? '' : ` ${options.score}`} --note "the golden answer is too strict"`,
    );
}

function checkListing({ task, note }: AnnotateOptions, said: readonly string[]): void {
  const stray = [...said, ...(task === undefined ? [] : ['task']), ...(note === undefined ? [] : ['note'])];
  if (stray.length > 0)
    throw new UsageError(
      `--list only looks, and ${flags(stray)} would add something.`,
      'Leave one of the two out.',
    );
}

function checkTexts(options: AnnotateOptions): void {
  const empty = (['label', 'correction', 'note'] as const).find((name) => options[name]?.trim() === '');
  if (empty !== undefined) throw new UsageError(`--${empty} is empty.`, 'Say something, or leave it out.');
}

/** An override travels as a correction that is nothing but the score, or the side, in JSON. */
export function signalOf(options: AnnotateOptions): Signal {
  const { rating, label, correction, score, passed, failed } = options;
  if (rating !== undefined) return { kind: 'rating', rating };
  if (label !== undefined) return { kind: 'label', label };
  if (correction !== undefined) return { kind: 'correction', correction };
  if (score !== undefined) return { kind: 'correction', correction: JSON.stringify({ score }) };
  if (passed || failed)
    return { kind: 'correction', correction: JSON.stringify({ passed: passed === true }) };
  return { kind: 'flag' };
}
