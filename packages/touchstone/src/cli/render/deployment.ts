import type { Deployment } from '@touchstone/sdk';
import type { NextCommand } from '../deploy-hints.js';
import type { Promotion, Step } from '../deploy-steps.js';
import type { Ink, Look } from './ink.js';
import { renderTable } from './table.js';
import { padEnd, printable, wrap } from './text.js';

const WIDE = 120;
const MAX_WIDTH = 100;
const ARROW = 22;

const MARKS = { moved: ['✓', 'green'], waiting: ['…', 'yellow'], refused: ['✗', 'red'] } as const;

/** `✓ staged → active  run-…`, and under it why not. */
export function renderStep(step: Step, waiting: string, look: Look): string {
  const { ink } = look;
  const [mark, paint] = MARKS[step.outcome];
  const arrow = padEnd(`${step.fromState} → ${step.toState}`, ARROW);
  const head = `  ${ink[paint](mark)} ${arrow}${ink.dim(step.runId ?? '')}`.trimEnd();
  const why = step.error ? wrapped(printable(step.error.message), look) : [];
  return `${[head, ...why, ...(step.outcome === 'waiting' ? [`    ${waiting}`] : [])].join('\n')}\n`;
}

const wrapped = (text: string, { width }: Look): readonly string[] =>
  wrap(text, Math.min(width, MAX_WIDTH) - 4).map((line) => `    ${line}`);

/** What the version is now, and what to type next. */
export function renderOutcome(
  { record, unchanged, steps }: Promotion,
  next: readonly NextCommand[],
  { ink }: Look,
): string {
  const moved = unchanged || steps.some(({ outcome }) => outcome === 'moved');
  const ref = ink.bold(`${record.agentId}@${record.version}`);
  const now = moved ? [`  ${ref} is ${unchanged ? 'already' : 'now'} ${placeOf(record)}`] : [];
  const widest = Math.max(0, ...next.map(({ command }) => command.length));
  const lines = next.map(({ command, does }) => `  ${ink.cyan(padEnd(command, widest))}  ${ink.dim(does)}`);
  return [...now, ...(lines.length > 0 ? ['', ...lines] : [])].map((line) => `${line}\n`).join('');
}

/** `active on stable, latest with 10 % of the traffic`. */
function placeOf({ state, channels = [], canaryPercent, rollbackPointer }: Deployment): string {
  const on = channels.length > 0 ? ` on ${channels.join(', ')}` : '';
  const share = canaryPercent === undefined ? '' : ` with ${canaryPercent} % of the traffic`;
  const instead = rollbackPointer === undefined ? '' : `; ${rollbackPointer} takes over`;
  return `${state}${on}${share}${instead}`;
}

const PAINT: { readonly [state: string]: keyof Ink } = {
  active: 'green',
  paused: 'yellow',
  'rolled-back': 'red',
  deprecated: 'dim',
  draft: 'dim',
};

/** Every version of an agent: how far it has come, where it serves, and on what it was let. */
export function deploymentsTable(records: readonly Deployment[], ink: Ink, columns: number): string {
  const wide = columns >= WIDE;
  const rows = records.map((record) => [
    record.version,
    (ink[PAINT[record.state] ?? 'bold'] as (text: string) => string)(record.state),
    shareOf(record, records),
    record.channels?.join(', ') ?? '–',
    record.evalRunId ?? '–',
    ...(wide ? [record.approvalGateId ?? '–'] : []),
  ]);
  const heads = ['version', 'state', 'share', 'channels', 'evidence', ...(wide ? ['gate'] : [])];
  return renderTable(heads, rows, ink);
}

/** What a record says is its share of what newer versions leave over: beside one of those, a full share is the rest. */
function shareOf(
  { version, state, canaryPercent, channels = [] }: Deployment,
  all: readonly Deployment[],
): string {
  if (state !== 'active') return '–';
  if (canaryPercent !== undefined) return `${canaryPercent} %`;
  const isShared = all.some(
    (other) =>
      other.version !== version &&
      other.canaryPercent !== undefined &&
      other.channels?.some((name) => name !== 'latest' && channels.includes(name)),
  );
  return isShared ? 'the rest' : '100 %';
}
