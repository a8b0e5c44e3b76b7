import type { AnnotationId, EventId, PrincipalId, RunId, Timestamp } from '../../model/ids.js';
import { closed, id, integer, published, text, type Wire, when } from '../schema/build.js';
import { signalKind } from './parts.js';

/** A signal of one kind must carry the member of that name. A flag carries nothing but itself. */
const carries = (kind: string) => when({ properties: { kind: { const: kind } } }, { required: [kind] });

export const signal = closed(
  { kind: signalKind('What sort of annotation it is.') },
  {
    rating: integer('From 1, poor, to 5, very good.', { minimum: 1, maximum: 5 }),
    label: text('A word to sort by.'),
    correction: text('What should have been there.'),
  },
  {
    description: 'What the person said.',
    allOf: [carries('rating'), carries('label'), carries('correction')],
  },
);

export const annotation = closed(
  {
    annotationId: id<AnnotationId>('The name of this annotation.', { minLength: 1 }),
    target: closed(
      { runId: id<RunId>('The run.', { minLength: 1 }) },
      { eventId: id<EventId>('One event of it.'), nodeId: text('One node of it.') },
      { description: 'What it is about.' },
    ),
    signal,
    actor: closed(
      { principalRef: id<PrincipalId>('An opaque id.', { minLength: 1 }) },
      {},
      { description: 'Who said it.' },
    ),
    createdAt: id<Timestamp>('When.', { format: 'date-time' }),
  },
  { note: text('Why, in free words.') },
  published(
    'annotation',
    'Annotation',
    'What a reviewer says about a run. It changes no event and no score in the log.',
  ),
);
/** An annotation as the host answers and lists it. */
export type AnnotationWire = Wire<typeof annotation>;
