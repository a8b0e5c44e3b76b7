import type { AnnotationCreateWire, AnnotationWire } from '@touchstone/protocol';

/** What a reviewer says: one kind of annotation, with the member of that name. */
export type Signal =
  | {
      /** A grade. */
      readonly kind: 'rating';
      /** From 1, poor, to 5, very good. */
      readonly rating: number;
    }
  | {
      /** What the run should have said instead. */
      readonly kind: 'correction';
      /** What should have been there; `pass`, `fail` or a score corrects the score of a task. */
      readonly correction: string;
    }
  | {
      /** A word that classifies the run or the event. */
      readonly kind: 'label';
      /** A word to sort by. */
      readonly label: string;
    }
  /** To be looked at again; says nothing but that. */
  | { readonly kind: 'flag' };

/** Body of `POST /v1/runs/{runId}/annotations`. Without a target it is about the whole run. */
export type NewAnnotation = Omit<AnnotationCreateWire, 'signal'> & { readonly signal: Signal };

/** A reviewer's note on a run. It changes no event and no score in the log. */
export type Annotation = Omit<AnnotationWire, 'signal'> & { readonly signal: Signal };
