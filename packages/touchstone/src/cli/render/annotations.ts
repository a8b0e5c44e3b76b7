import { defined, type ScoreOverride } from '@touchstone/protocol';
import type { Annotation, Signal } from '@touchstone/sdk';
import { ago, score } from '@touchstone/sdk/view';
import { labelled } from './layout.js';
import { renderTable } from './table.js';
import { type Look, printable } from './text.js';

type Result = { readonly score: number; readonly passed: boolean };
type RunResult = Result & { readonly task: Result };

/** What has just been recorded; both results when it overrides a score of a completed run. */
export type Recorded = {
  readonly recorded: Annotation;
  readonly override: ScoreOverride | undefined;
  readonly taskId?: string;
  readonly automatic?: RunResult;
  readonly adjusted?: RunResult;
};

export function renderRecorded(
  { recorded, override, taskId, automatic, adjusted }: Recorded,
  look: Look,
): string {
  const { ink } = look;
  const about = taskId ? `task ${taskId} of run ${recorded.target.runId}` : `run ${recorded.target.runId}`;
  const head = `  ${ink.green('✓')} Recorded: ${saidOf(recorded, override)}\n    ${ink.dim('on')} ${about}`;
  if (!automatic || !adjusted) return `${head}\n`;
  const cell = (value: Result): string =>
    `${score(value.score)} ${value.passed ? ink.green('passed') : ink.red('failed')}`;
  const rows = [
    [taskId ?? '', cell(automatic.task), cell(adjusted.task)],
    ['the run', cell(automatic), cell(adjusted)],
  ];
  const table = renderTable(['', 'automatic', 'adjusted'], rows, ink);
  const note = 'The log and its scorecard stay as they are; reports show both results.';
  return `${head}\n\n${table}\n\n  ${ink.dim(note)}\n`;
}

/** In ids and numbers; the words are content. */
function saidOf({ signal }: Annotation, override: ScoreOverride | undefined): string {
  if (override) return overrideText(override);
  return signal.kind === 'rating' ? `rating ${signal.rating}` : signal.kind;
}

const overrideText = ({ score: value, passed }: ScoreOverride): string =>
  passed === undefined ? `override to score ${score(value)}` : `override to ${passed ? 'passed' : 'failed'}`;

type Overrides = ReadonlyMap<string, ScoreOverride>;
type AnnotationList = {
  readonly annotations: readonly Annotation[];
  /** Those that override a score, by annotation. */
  readonly overrides: Overrides;
  readonly bodies: boolean;
  readonly now: number;
};

/** Oldest first, as they were said. */
export function renderAnnotations(
  { annotations, overrides, bodies, now }: AnnotationList,
  look: Look,
): string {
  const { ink } = look;
  if (annotations.length === 0) return '  Nobody has said anything about this run.\n';
  const current = new Map(
    [...overrides.values()].map(({ eventId, annotationId }) => [eventId, annotationId]),
  );
  return annotations
    .map((one) => {
      const override = overrides.get(one.annotationId);
      const isReplaced = override && current.get(override.eventId) !== one.annotationId;
      const replaced = isReplaced ? ', which a later one replaced' : '';
      const by = `by ${printable(one.actor.principalRef)}`;
      const when = ago(now - Date.parse(one.createdAt));
      const head = `  ${saidOf(one, override)}${replaced} ${ink.dim(`· ${printable(aboutOf(one, override))} · ${by} · ${when}`)}`;
      return [head, ...(bodies ? textLines(one, override, look) : [])].join('\n');
    })
    .join('\n')
    .concat('\n');
}

function aboutOf({ target: { eventId, nodeId } }: Annotation, override?: ScoreOverride): string {
  const task = override?.taskId ?? nodeId;
  if (task !== undefined) return `task ${task}`;
  return eventId === undefined ? 'the run' : `event ${eventId.slice(eventId.lastIndexOf(':') + 1)}`;
}

/** As short as the other labels. */
const LABELS: { readonly [kind: string]: string } = { correction: 'should be' };

/** Whether there are texts that are not shown. */
export const hasTexts = (annotations: readonly Annotation[], overrides: Overrides): boolean =>
  annotations.some(
    ({ annotationId, signal, note }) =>
      note !== undefined || (!overrides.has(annotationId) && textOf(signal) !== undefined),
  );

/** An override says in JSON what the head of its entry says in words. */
function textLines({ signal, note }: Annotation, override: ScoreOverride | undefined, look: Look): string[] {
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
export function annotationDocument(
  annotation: Annotation,
  override: ScoreOverride | undefined,
  bodies: boolean,
  task: string | undefined = override?.taskId,
): object {
  const { annotationId, target, signal, note, actor, createdAt } = annotation;
  return {
    annotationId,
    target: { ...target, ...defined({ taskId: task }) },
    signal: bodies || signal.kind === 'rating' ? signal : { kind: signal.kind },
    ...(bodies && note !== undefined && { note }),
    ...(override && { override: defined({ score: override.score, passed: override.passed }) }),
    by: actor.principalRef,
    createdAt,
  };
}
