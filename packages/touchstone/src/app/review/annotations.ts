import {
  type AnnotationId,
  type AuditEntry,
  asId,
  defined,
  type EventId,
  type Issue,
  type Owner,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type RunId,
  type ScopeName,
  type TaskId,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { Payloads } from '@touchstone/protocol/bodies';
import type { AnnotationCreateWire, AnnotationWire } from '@touchstone/protocol/wire';
import type { Annotation, Clock, CreationId, Ids, Log, Override, Signal, Store } from '../../ports/index.js';
import { ownRun } from '../views/run-measurement.js';
import { findEvent, findTarget, OVERRIDE_SCOPE, overrideOf } from './annotations-target.js';

type Parts = {
  readonly store: Pick<Store, 'annotations' | 'audit' | 'log' | 'runs' | 'suites'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
  readonly log: Pick<Log, 'info'>;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
};

/** A person's correction of one task's score. */
type RecordedOverride = {
  readonly taskId: TaskId;
  readonly eventId: EventId;
  readonly annotationId: AnnotationId;
  readonly override: Override;
  readonly by: PrincipalId;
  readonly at: number;
};

/** What people say about runs. It is kept beside the log: replays, forks and scoring never read it. */
export type Annotations = {
  /** Records an annotation on a run of the principal's owner, in whatever state the run is. */
  annotate(
    principal: Principal,
    runId: RunId,
    body: AnnotationCreateWire,
    creationId?: CreationId,
  ): Promise<Annotation>;
  /** All of a run's, oldest first. */
  list(owner: Owner, runId: RunId): Promise<readonly Annotation[]>;
  /** All corrections of scores, oldest first; a later one of the same event takes the place of an earlier one. */
  overridesOf(owner: Owner, runId: RunId): Promise<readonly RecordedOverride[]>;
};

export function createAnnotations({ store, clock, ids, log, mask }: Parts): Annotations {
  return {
    async annotate(principal, runId, body, creationId) {
      const run = await ownRun(store, principal.owner, runId);
      const annotationId = asId<AnnotationId>(`ann-${creationId ?? ids.token()}`);
      const present = creationId ? await store.annotations.list(principal.owner, runId) : [];
      const before = present.find((annotation) => annotation.annotationId === annotationId);
      if (before) return before;
      checkLengths(body);
      const { event, ...target } = await findTarget(store, run, body.target);
      const override = overrideOf(principal, body, event);
      const annotation: Annotation = {
        annotationId,
        runId,
        ...target,
        signal: await maskedSignal(body.signal, mask),
        ...(body.note !== undefined && { note: await mask(body.note) }),
        by: asId<PrincipalId>(principal.id),
        at: clock.now(),
        ...(override && { override }),
      };
      await store.annotations.add(principal.owner, annotation, override && auditOf(annotation));
      const { by } = annotation;
      log.info('annotation.recorded', { runId, annotationId, by, override: override !== undefined });
      return annotation;
    },
    async list(owner, runId) {
      await ownRun(store, owner, runId);
      return store.annotations.list(owner, runId);
    },
    overridesOf: (owner, runId) => readOverrides(store, owner, runId),
  };
}

const auditOf = ({ by, at, runId, eventId }: Annotation): AuditEntry => ({
  at,
  principal: by,
  action: asId<ScopeName>(OVERRIDE_SCOPE),
  resource: asId<ResourceName>(`runs/${runId}/events/${eventId ?? ''}`),
  allowed: true,
  runId,
});

const MAX_TEXT = 8_192;

function checkLengths({ note, signal }: AnnotationCreateWire): void {
  const texts = { '/note': note, '/signal/correction': signal.correction, '/signal/label': signal.label };
  const issues = Object.entries(texts).flatMap(([pointer, text = '']): Issue[] => {
    const message = `expected at most ${MAX_TEXT} characters, got ${text.length}`;
    return text.length > MAX_TEXT ? [{ pointer, message }] : [];
  });
  if (issues.length > 0) throw validationError(issues);
}

async function maskedSignal(signal: AnnotationCreateWire['signal'], mask: Parts['mask']): Promise<Signal> {
  const { correction, label, ...rest } = signal;
  return {
    ...rest,
    ...(correction !== undefined && { correction: await mask(correction) }),
    ...(label !== undefined && { label: await mask(label) }),
  };
}

/** The task is named by the event, which is read once however often it has been corrected. */
async function readOverrides(
  store: Parts['store'],
  owner: Owner,
  runId: RunId,
): Promise<readonly RecordedOverride[]> {
  const tasks = new Map<EventId, TaskId | undefined>();
  const taskOf = async (eventId: EventId): Promise<TaskId | undefined> => {
    if (!tasks.has(eventId)) {
      const event = await findEvent(store.log, owner, runId, eventId);
      tasks.set(eventId, (event?.payload as Payloads['eval.scored'] | undefined)?.taskId);
    }
    return tasks.get(eventId);
  };
  const overrides: RecordedOverride[] = [];
  for (const { eventId, annotationId, override, by, at } of await store.annotations.list(owner, runId)) {
    const taskId = override && eventId && (await taskOf(eventId));
    if (override && eventId && taskId) overrides.push({ taskId, eventId, annotationId, override, by, at });
  }
  return overrides;
}

/** An annotation as callers and open streams see it. */
export const annotationWire = (annotation: Annotation): AnnotationWire => ({
  annotationId: annotation.annotationId,
  target: {
    runId: annotation.runId,
    ...defined({ eventId: annotation.eventId, nodeId: annotation.nodeId }),
  },
  signal: annotation.signal,
  actor: { principalRef: annotation.by },
  createdAt: timestampOf(annotation.at),
  ...(annotation.note !== undefined && { note: annotation.note }),
});
