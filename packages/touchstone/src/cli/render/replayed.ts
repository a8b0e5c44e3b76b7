import { defined, type RunError, type RunId } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import type { ExitCode } from '../io.js';
import { noteLines, readable, restLines } from './layout.js';
import { displayWidth, type Look, padEnd, printable, truncate } from './text.js';

const SHOWN = 20;

/** An event of the source that does not follow from what is recorded before it. */
export type Divergence = { readonly sequence: number; readonly type?: string; readonly nodeId?: string };

export type Replayed = {
  readonly source: RunId;
  readonly replay: RunId;
  /** In the log of the source. */
  readonly events: number;
  readonly divergences: readonly Divergence[];
  /** Between the two logs. Behind a divergence the logs are out of step, so everything there differs. */
  readonly differences: readonly (Divergence & { readonly op: string })[];
  /** Not all differences are listed. */
  readonly more?: true;
  /** Why it could not be gone through to its end. */
  readonly failed?: RunError;
  readonly exitCode: Extract<ExitCode, 0 | 1 | 3>;
};

/** One sentence when all is well, otherwise where it is not. `next` is what to type to see the events. */
export function renderReplayed(replayed: Replayed, next: string, wide: Look): string {
  const look = readable(wide, 60);
  const { ink } = look;
  const { source, replay, events, failed, exitCode } = replayed;
  const mark = exitCode === 0 ? ink.green('✓') : exitCode === 1 ? ink.red('✗') : ink.yellow('?');
  const did = exitCode === 3 ? 'Could not replay' : 'Replayed';
  const lines = [
    `  ${mark} ${did} ${plural(events, 'event')} of run ${printable(source)}`,
    `    as run ${printable(replay)}: ${outcomeOf(replayed)}`,
    ...noteLines([failed && `${failed.code}: ${failed.message}`], look, String, 4),
  ];
  const places = placeLines(replayed, look);
  const more = places.length > 0 ? ['', ...places, '', `  ${ink.cyan(next)}  ${ink.dim('all events')}`] : [];
  return `${[...lines, ...more].join('\n')}\n`;
}

function outcomeOf({ divergences, differences, exitCode }: Replayed): string {
  if (exitCode === 0) return 'identical, nobody was asked.';
  if (exitCode === 3) return 'it ended early.';
  if (divergences.length > 0)
    return `${plural(divergences.length, 'event')} ${divergences.length === 1 ? 'does' : 'do'} not follow from what is recorded.`;
  return differences.length > 0
    ? `the logs differ in ${plural(differences.length, 'event')}.`
    : 'it ended in another state.';
}

function placeLines({ divergences, differences }: Replayed, look: Look): string[] {
  const places: readonly (Divergence & { readonly op?: string })[] =
    divergences.length > 0 ? divergences : differences;
  const shown = places.slice(0, SHOWN);
  const numbers = Math.max(0, ...shown.map(({ sequence }) => String(sequence).length));
  const types = Math.max(0, ...shown.map(({ type = '' }) => displayWidth(type)));
  const lines = shown.map(({ sequence, type = '', nodeId, op }) => {
    const where = `event ${String(sequence).padStart(numbers)}  ${padEnd(type, types)}`;
    const what = [...(nodeId === undefined ? [] : [`task ${printable(nodeId)}`]), ...(op ? [op] : [])];
    return `    ${truncate(`${where}  ${what.join(', ')}`.trimEnd(), look.width - 4)}`;
  });
  return [...lines, ...restLines(places.length - shown.length, look, '', 4)];
}

/** The `--json` form: names and places, no content. */
export const replayedDocument = ({ source, replay, exitCode, differences, ...facts }: Replayed): object => ({
  runId: replay,
  sourceRunId: source,
  mode: 'replay',
  events: facts.events,
  identical: exitCode === 0,
  exitCode,
  diverged: facts.divergences,
  divergedAtSeq: differences[0]?.sequence ?? null,
  differences: differences.length,
  ...defined({ truncated: facts.more, error: facts.failed }),
});
