import { closed, published, text, type Wire } from '../schema/build.js';
import { signal } from './annotation.js';

export const annotationCreate = closed(
  { signal },
  {
    target: closed(
      {},
      { eventId: text('One event of the run.'), nodeId: text('One node of the run.') },
      { description: 'What it is about; the whole run when absent.' },
    ),
    note: text('Why, in free words.'),
  },
  published(
    'annotation-create',
    'AnnotationCreate',
    'An annotation to record. The host adds name, time, author and run.',
  ),
);
/** Body of `POST /v1/runs/{runId}/annotations`, as a reviewer sends it. */
export type AnnotationCreateWire = Wire<typeof annotationCreate>;
