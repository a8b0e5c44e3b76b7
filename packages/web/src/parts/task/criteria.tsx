import type { TaskView } from '@touchstone/protocol';
import { percent } from '@touchstone/sdk/view';
import { Glyph } from '../glyphs.js';
import { Section } from '../section.js';

type Invocation = TaskView['invocations'][number];
type Decision = {
  readonly met?: boolean;
  readonly score?: number;
  readonly reason?: string;
  readonly agreement?: number;
};
type RubricLine = { readonly criterion?: unknown; readonly weight?: number };

type CriteriaProps = {
  readonly task: TaskView;
  readonly invocation: Invocation;
  /** Undefined when there was none, or when that is not known. */
  readonly judge?: JudgeFacts | undefined;
};

/** Who decided, and how often it was asked. */
export type JudgeFacts = { readonly name: string; readonly votes: number };

/** What an answer had to be: whether it was, how many votes said so, and why. */
export function Criteria({ task, invocation, judge }: CriteriaProps) {
  const results = invocation.result?.criteria ?? [];
  // Sentences are content; without it a criterion is known by its id.
  const rubric = (task.expected.rubric ??
    results.map(({ id }) => ({ criterion: id }))) as readonly RubricLine[];
  if (rubric.length === 0) return null;
  const decided = (invocation.criteria ?? []) as readonly Decision[];
  return (
    <Section name="Criteria" beside={judge && <span class="muted">judge {judge.name}</span>}>
      <ul class="criteria">
        {rubric.map(({ criterion, weight }, at) => {
          const result = results[at];
          const isMet = result ? result.met === 1 : decided[at]?.met;
          return (
            <li key={at} data-testid="criterion" data-criterion={result?.id} data-met={isMet}>
              <Glyph outcome={isMet === undefined ? 'unscored' : isMet ? 'passed' : 'failed'} />
              <span>{sentenceOf(criterion)}</span>
              <span class="muted votes">
                {votesOf(result?.agreement ?? decided[at]?.agreement, judge?.votes)}
                {weight !== undefined && weight !== 1 && ` · weight ${weight}`}
              </span>
              {decided[at]?.reason !== undefined && <q class="muted">{decided[at].reason}</q>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Criteria that are decided without a judge begin with their name in brackets. */
const sentenceOf = (criterion: unknown): string =>
  typeof criterion === 'string' ? criterion : JSON.stringify(criterion);

/** As `2 of 3`; an agreement without a known number of votes is a share. */
function votesOf(agreement: number | undefined, votes: number | undefined): string {
  if (agreement === undefined) return '';
  return votes === undefined || votes < 2
    ? `${percent(agreement)} of the votes`
    : `${Math.round(agreement * votes)} of ${votes} votes`;
}
