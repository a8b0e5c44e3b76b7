import type { AnnotationId, AuditEntry, EventId, Owner, PrincipalId, RunId } from '@touchstone/protocol';

/**
 * What a person said: the member named like the kind is always there, others may stand beside it. `correction` and
 * `label` are content: they are shown to callers that read annotations, nowhere else.
 */
export type Signal = {
  readonly kind: 'rating' | 'correction' | 'label' | 'flag';
  readonly rating?: number;
  readonly correction?: string;
  readonly label?: string;
};

export type Annotation = {
  readonly annotationId: AnnotationId;
  readonly runId: RunId;
  readonly eventId?: EventId;
  readonly nodeId?: string;
  readonly signal: Signal;
  readonly note?: string;
  readonly by: PrincipalId;
  readonly at: number;
  /** The score that replaces the annotated one. Permission was checked when it was recorded. */
  readonly override?: Override;
};

/** A score, or just a side: then the score is 1 or 0. */
export type Override = { readonly score: number; readonly passed?: boolean };

export type LabelFilter = {
  readonly suiteId?: string | undefined;
  readonly runId?: string | undefined;
  /** Only those recorded then or later. */
  readonly since?: number | undefined;
};

/** Annotations of runs by people. They are kept beside the log: no event, no score and no fork ever holds one. */
export type Annotations = {
  /** `audit` is written together with it. */
  add(owner: Owner, annotation: Annotation, audit?: AuditEntry): Promise<void>;
  /** All of a run's, oldest first. */
  list(owner: Owner, runId: RunId): Promise<readonly Annotation[]>;
  /** All of the owner's runs whose label begins like this, oldest first. */
  labelled(owner: Owner, beginning: string, filter?: LabelFilter): Promise<readonly Annotation[]>;
  /** Called after an annotation of this run has been added, by another process where the store hears of it. Returns the unsubscribe function. */
  watch(owner: Owner, runId: RunId, listener: (annotation: Annotation) => void): () => void;
};
