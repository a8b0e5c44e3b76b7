import { closed, published, text, type Wire } from '../schema/build.js';
import { signal } from './annotation.js';

/** The protocol's schema of a new annotation (RFC 0056). */
export const annotationCreate = closed(
  { signal },
  {
    /** The part of the run that the reviewer means. An event or a node; the whole run when absent. */
    target: closed(
      {},
      {
        /** One event. A `correction` of an `eval.scored` event overrides the score of its task in reports. */
        eventId: text('One event of the run.'),
        /** One node; in an eval run the id of a task. */
        nodeId: text('One node of the run.'),
      },
      { description: 'What it is about; the whole run when absent.' },
    ),
    /** The reviewer's reason in free words. Content: never copied into events or reports. */
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
