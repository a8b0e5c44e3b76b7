import type { Deployment } from '@touchstone/sdk';
import { NOT_FOLLOWED } from '@touchstone/sdk/view';
import type { Promotion } from '../../verbs/deployments/promotion.js';
import type { Step } from '../../verbs/deployments/transitions.js';
import { commandLines, markedLines, type NextCommand, noteLines, readable } from '../layout.js';
import { type Column, renderFitting } from '../table.js';
import { type Ink, type Look, padEnd } from '../text.js';

/**
 * What a version gets of the runs of a channel, as far as the records of all versions tell: all of them, its percentage,
 * or what newer versions leave over. Unknown where several were given a percentage: which of them is asked first is not
 * in the records.
 */
type Part = 'all' | 'percent' | 'rest' | 'unknown';

function partOn(channel: string, record: Deployment, all: readonly Deployment[]): Part {
  const others = all.filter(
    (one) => one.version !== record.version && one.channels?.some((name) => name === channel),
  );
  if (others.length === 0) return 'all';
  if (record.canaryPercent === undefined) return 'rest';
  return others.length === 1 && others[0]?.canaryPercent === undefined ? 'percent' : 'unknown';
}

/** A percentage is of what newer versions leave over, and the last version takes all of it whatever it was given. */
const partsOf = (record: Deployment, all: readonly Deployment[]): readonly (readonly [string, Part])[] =>
  (record.channels ?? [])
    .filter((name) => name !== 'latest')
    .map((channel) => [channel, partOn(channel, record, all)]);

/** For a table: `10 %`, `the rest`, `100 % (set to 10 %)`. A version that nothing but `latest` leads to shares nothing. */
export function shareCell(record: Deployment, all: readonly Deployment[]): string {
  const { state, canaryPercent } = record;
  if (state !== 'active') return '–';
  const cells: { readonly [part in Part]: string } = {
    all: canaryPercent === undefined ? '100 %' : `100 % (set to ${canaryPercent} %)`,
    percent: `${canaryPercent} %`,
    rest: 'the rest',
    unknown: `set to ${canaryPercent} %`,
  };
  const parts = partsOf(record, all);
  const [first] = parts;
  if (!first) return canaryPercent === 0 ? '0 %' : '–';
  return parts.every(([, part]) => part === first[1])
    ? cells[first[1]]
    : parts.map(([channel, part]) => `${channel} ${cells[part]}`).join(', ');
}

/** For a sentence, behind the channels; nothing when there is nothing to say. */
export function shareWords(record: Deployment, all: readonly Deployment[]): string {
  const { state, canaryPercent } = record;
  if (state !== 'active' || canaryPercent === undefined) return '';
  const kinds = new Set(partsOf(record, all).map(([, part]) => part));
  if (kinds.size === 1 && kinds.has('percent')) return ` with ${canaryPercent} % of the traffic`;
  return kinds.size === 1 && kinds.has('all')
    ? ` with all of the traffic, because nothing else serves there (its share is set to ${canaryPercent} %)`
    : `, its share set to ${canaryPercent} %`;
}

const WIDE = 120;
const ARROW = 22;

const MARKS = { moved: ['✓', 'green'], waiting: ['…', 'yellow'], refused: ['✗', 'red'] } as const;

/** `✓ staged → active  run-…`, and under it why not. */
export function renderStep(step: Step, waiting: string, look: Look): string {
  const { ink } = look;
  const [mark, paint] = MARKS[step.outcome];
  const arrow = padEnd(`${step.fromState} → ${step.toState}`, ARROW);
  const head = `  ${ink[paint](mark)} ${arrow}${ink.dim(step.runId ?? '')}`.trimEnd();
  const why = noteLines([step.error?.message], readable(look), String, 4);
  const asked = step.outcome === 'waiting' ? [...(step.askedBefore ? [ASKED] : []), waiting] : [];
  return `${[head, ...why, ...asked.map((line) => `    ${line}`)].join('\n')}\n`;
}

const ASKED = 'already asked for; nothing new was asked';

/** What the version is now, and what to type next. */
export function renderOutcome(
  { record, versions, unchanged, steps, filesNotFollowed }: Promotion,
  next: readonly NextCommand[],
  look: Look,
): string {
  const moved = unchanged || steps.some(({ outcome }) => outcome === 'moved');
  const ref = look.ink.bold(`${record.agentId}@${record.version}`);
  const now = moved ? [`  ${ref} is ${unchanged ? 'already' : 'now'} ${placeOf(record, versions)}`] : [];
  const warned = filesNotFollowed ? markedLines(look.ink.yellow('!'), NOT_FOLLOWED, readable(look)) : [];
  const lines = commandLines(next, look);
  return [...now, ...warned, ...(lines.length > 0 ? ['', ...lines] : [])].map((line) => `${line}\n`).join('');
}

/** `active on stable, latest with 10 % of the traffic`. */
export function placeOf(record: Deployment, versions: readonly Deployment[]): string {
  const { state, channels = [], rollbackPointer } = record;
  const on = channels.length > 0 ? ` on ${channels.join(', ')}` : '';
  const instead = rollbackPointer === undefined ? '' : `; ${rollbackPointer} takes over`;
  return `${state}${on}${shareWords(record, versions)}${instead}`;
}

const PAINT: { readonly [state: string]: keyof Ink } = {
  active: 'green',
  paused: 'yellow',
  'rolled-back': 'red',
  deprecated: 'dim',
  draft: 'dim',
};

/** Every version of an agent: how far it has come, where it serves, and on what it was let. */
export function deploymentsTable(
  records: readonly Deployment[],
  all: readonly Deployment[],
  ink: Ink,
  { columns, room }: { readonly columns: number; readonly room: number },
): string {
  const column = (head: string, cellOf: (record: Deployment) => string): Column => ({
    head,
    cells: records.map(cellOf),
  });
  const gate = { ...column('gate', ({ approvalGateId }) => approvalGateId ?? '–'), drop: 0 };
  const shown = [
    column('version', ({ version }) => version),
    column('state', ({ state }) => (ink[PAINT[state] ?? 'bold'] as (text: string) => string)(state)),
    column('share', (record) => shareCell(record, all)),
    { ...column('channels', ({ channels }) => channels?.join(', ') ?? '–'), least: 8 },
    { ...column('evidence', ({ evalRunId }) => evalRunId ?? '–'), drop: 1 },
    ...(columns >= WIDE ? [gate] : []),
  ];
  return renderFitting(shown, ink, room);
}
