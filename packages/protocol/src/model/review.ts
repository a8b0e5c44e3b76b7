import { asId, type CriterionId } from './ids.js';

// What people decide about answers, and where the answers that they look at come from.

/**
 * Where tasks for people come from: those that failed, were not scored, were flagged, on which votes of the judge differed,
 * or a random sample.
 */
export const REVIEW_SOURCES = ['failures', 'unscored', 'flagged', 'low-agreement', 'sample'] as const;
/** Where tasks for people come from. */
export type ReviewSource = (typeof REVIEW_SOURCES)[number];

/** What a reviewer decided about one answer. */
export type ReviewLabel = {
  /** About a criterion, or about the answer as a whole. */
  readonly verdict: 'met' | 'unmet' | 'pass' | 'fail';
  /** The criterion that is met or unmet; absent for the answer as a whole. */
  readonly criterion?: CriterionId;
  /** The reviewer had seen what the judge said. */
  readonly seen: boolean;
};

/** What every label of a review begins with. */
export const REVIEW_LABEL = 'review:';

/** A decision as the label of an annotation: `review:met:c-1:seen`. */
export const writeReviewLabel = ({ verdict, criterion, seen }: ReviewLabel): string =>
  `${REVIEW_LABEL}${verdict}${criterion === undefined ? '' : `:${criterion}`}${seen ? ':seen' : ''}`;

const FORM = /^review:(?:(met|unmet):(.+?)|(pass|fail))(:seen)?$/;

/** The decision that a label holds; undefined when it holds none. */
export function parseReviewLabel(label: string): ReviewLabel | undefined {
  const [, verdict, criterion, side, seen] = FORM.exec(label) ?? [];
  const said = (verdict ?? side) as ReviewLabel['verdict'] | undefined;
  if (said === undefined) return undefined;
  return {
    verdict: said,
    ...(criterion !== undefined && { criterion: asId<CriterionId>(criterion) }),
    seen: seen !== undefined,
  };
}
