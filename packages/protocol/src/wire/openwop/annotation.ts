import type { AnnotationId, EventId, PrincipalId, RunId, Timestamp } from '../../model/ids.js';
import { closed, id, integer, published, text, type Wire, when } from '../schema/build.js';
import { signalKind } from './parts.js';

/** A signal of one kind must carry the member of that name. A flag carries nothing but itself. */
const carries = (kind: string) => when({ properties: { kind: { const: kind } } }, { required: [kind] });

/** What the reviewer says. `kind` names the member that must be present beside it. */
export const signal = closed(
  {
    /** `rating`, `correction`, `label`, or `flag`, which asks for a second look and carries nothing else. */
    kind: signalKind('What sort of annotation it is.'),
  },
  {
    /** A whole number from 1, poor, to 5, very good. Present when `kind` is `rating`. */
    rating: integer('From 1, poor, to 5, very good.', { minimum: 1, maximum: 5 }),
    /** A word to sort by. Present when `kind` is `label`. */
    label: text('A word to sort by.'),
    /**
     * What should have been there. `pass`, `fail`, a score from 0 to 1, or free words. Present when `kind` is
     * `correction`.
     */
    correction: text('What should have been there.'),
  },
  {
    description: 'What the person said.',
    allOf: [carries('rating'), carries('label'), carries('correction')],
  },
);

/** The protocol's schema of a stored annotation (RFC 0056). */
export const annotation = closed(
  {
    /** The name of this annotation. Made by the host; unique. */
    annotationId: id<AnnotationId>('The name of this annotation.', { minLength: 1 }),
    /** The run that the annotation is about, or the part of it that the reviewer named. */
    target: closed(
      {
        /** The run; always present. */
        runId: id<RunId>('The run.', { minLength: 1 }),
      },
      {
        /** One event of that run; absent when the annotation is about a node or about the whole run. */
        eventId: id<EventId>('One event of it.'),
        /** One node of that run, in an eval run a task; absent like `eventId`. */
        nodeId: text('One node of it.'),
      },
      { description: 'What it is about.' },
    ),
    /** What the reviewer says. */
    signal,
    /** Who wrote the annotation. The host takes it from the API key, never from the body. */
    actor: closed(
      {
        /** An opaque id, never a personal name. */
        principalRef: id<PrincipalId>('An opaque id.', { minLength: 1 }),
      },
      {},
      { description: 'Who said it.' },
    ),
    /** When the host stored it, ISO 8601 in UTC. */
    createdAt: id<Timestamp>('When.', { format: 'date-time' }),
  },
  {
    /** The reviewer's reason in free words; absent when none was given. */
    note: text('Why, in free words.'),
  },
  published(
    'annotation',
    'Annotation',
    'What a reviewer says about a run. It changes no event and no score in the log.',
  ),
);
/** An annotation as the host answers and lists it. */
export type AnnotationWire = Wire<typeof annotation>;
