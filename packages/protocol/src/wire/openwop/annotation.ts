import { closed, integer, name, published, text, timestamp, type Wire, when } from '../schema/build.js';
import { signalKind } from './parts.js';

/** A signal of one kind must carry the member of that name. A flag carries nothing but itself. */
const carries = (kind: string) => when({ properties: { kind: { const: kind } } }, { required: [kind] });

export const signal = closed(
  { kind: signalKind('What sort of remark it is.') },
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
    annotationId: name('The name of this annotation.'),
    target: closed(
      { runId: name('The run.') },
      { eventId: text('One event of it.'), nodeId: text('One node of it.') },
      { description: 'What it is about.' },
    ),
    signal,
    actor: closed({ principalRef: name('An opaque id.') }, {}, { description: 'Who said it.' }),
    createdAt: timestamp('When.'),
  },
  { note: text('Why, in free words.') },
  published(
    'annotation',
    'Annotation',
    'A remark of a person on a run. It changes no event and no score in the log.',
  ),
);
export type AnnotationWire = Wire<typeof annotation>;
