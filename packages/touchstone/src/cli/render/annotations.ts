import { type AnnotationId, type TaskId, timestampOf } from '@touchstone/protocol';
import type { Annotation, Override, Signal } from '../../ports/index.js';
import type { Look } from './ink.js';
import { labelled } from './labelled.js';
import { renderTable } from './table.js';
import { printable } from './text.js';
import { ago, score } from './units.js';

type Side = { readonly score: number; readonly passed: boolean };
type Both = Side & { readonly task: Side };

/** What has just been recorded; both results when it overrides a score of a completed run. */
export type Recorded = {
  readonly recorded: Annotation;
  readonly taskId?: TaskId;
  readonly automatic?: Both;
  readonly adjusted?: Both;
};

export function renderRecorded({ recorded, taskId, automatic, adjusted }: Recorded, look: Look): string {
  const { ink } = look;
  const about = taskId ? `task ${taskId} of run ${recorded.runId}` : `run ${recorded.runId}`;
  const head = `  ${ink.green('✓')} Recorded: ${saidOf(recorded)}\n    ${ink.dim('on')} ${about}`;
  if (!automatic || !adjusted) return `${head}\n`;
  const side = (value: Side): string =>
    `${score(value.score)} ${value.passed ? ink.green('passed') : ink.red('failed')}`;
  const rows = [
    [taskId ?? '', side(automatic.task), side(adjusted.task)],
    ['the run', side(automatic), side(adjusted)],
  ];
  const table = renderTable(['', 'automatic', 'adjusted'], rows, ink);
  const note = 'The log and its scorecard stay as they are; reports show both results.';
  return `${head}\n\n${table}\n\n  ${ink.dim(note)}\n`;
}

/** In ids and numbers; the words are content. */
function saidOf({ signal, override }: Annotation): string {
  if (override) return overrideText(override);
  return signal.kind === 'rating' ? `rating ${signal.rating}` : signal.kind;
}

const overrideText = ({ score: value, passed }: Override): string =>
  passed === undefined ? `override to score ${score(value)}` : `override to ${passed ? 'passed' : 'failed'}`;

export type Listed = {
  readonly annotations: readonly Annotation[];
  /** The tasks whose scores are overridden. */
  readonly tasks: ReadonlyMap<AnnotationId, TaskId>;
  readonly bodies: boolean;
  readonly now: number;
};

/** Oldest first, as they were said. */
export function renderAnnotations({ annotations, tasks, bodies, now }: Listed, look: Look): string {
  const { ink } = look;
  if (annotations.length === 0) return '  Nobody has said anything about this run.\n';
  const current = currentOverrides(annotations);
  return annotations
    .map((one) => {
      const replaced = one.override && !current.has(one.annotationId) ? ', which a later one replaced' : '';
      const about = aboutOf(one, tasks.get(one.annotationId));
      const head = `  ${saidOf(one)}${replaced} ${ink.dim(`· ${printable(about)} · by ${printable(one.by)} · ${ago(now - one.at)}`)}`;
      return [head, ...(bodies ? textLines(one, look) : [])].join('\n');
    })
    .join('\n')
    .concat('\n');
}

/** Of several overrides of one score the latest counts. */
const currentOverrides = (annotations: readonly Annotation[]): ReadonlySet<AnnotationId> =>
  new Set(
    new Map(
      annotations
        .filter(({ override }) => override)
        .map(({ eventId, annotationId }) => [eventId, annotationId]),
    ).values(),
  );

function aboutOf({ eventId, nodeId }: Annotation, taskId: TaskId | undefined): string {
  const task = taskId ?? nodeId;
  if (task !== undefined) return `task ${task}`;
  return eventId === undefined ? 'the run' : `event ${eventId.slice(eventId.lastIndexOf(':') + 1)}`;
}

/** As short as the other labels. */
const LABELS: { readonly [kind: string]: string } = { correction: 'should be' };

/** Whether somebody has written something that is not shown. */
export const hasTexts = (annotations: readonly Annotation[]): boolean =>
  annotations.some(
    ({ signal, note, override }) => note !== undefined || (!override && textOf(signal) !== undefined),
  );

/** An override says in JSON what the head of its entry says in words. */
function textLines({ signal, note, override }: Annotation, look: Look): string[] {
  const text = override ? undefined : textOf(signal);
  return [
    ...(text === undefined ? [] : labelled(LABELS[signal.kind] ?? signal.kind, printable(text), look)),
    ...(note === undefined ? [] : labelled('note', printable(note), look)),
  ];
}

function textOf(signal: Signal): string | undefined {
  if (signal.kind === 'label') return signal.label;
  return signal.kind === 'correction' ? signal.correction : undefined;
}

/** The `--json` form; what people wrote only when it is asked for. */
export function annotationDocument(annotation: Annotation, bodies: boolean, taskId?: TaskId): object {
  const { annotationId, runId, eventId, nodeId, signal, note, by, at, override } = annotation;
  return {
    annotationId,
    target: {
      runId,
      ...(eventId !== undefined && { eventId }),
      ...(nodeId !== undefined && { nodeId }),
      ...(taskId !== undefined && { taskId }),
    },
    signal: bodies || signal.kind === 'rating' ? signal : { kind: signal.kind },
    ...(bodies && note !== undefined && { note }),
    ...(override && { override }),
    by,
    createdAt: timestampOf(at),
  };
}
