import {
  type CriterionId,
  defined,
  type EventId,
  type JudgeAgreement,
  type LabelAgreement,
  type PrincipalId,
  type RunId,
  type TaskId,
} from '@touchstone/protocol';
import { kappaInterval } from '../statistics/kappa-interval.js';
import { wilsonInterval } from '../statistics/wilson.js';
import { agreementOn, confusionOf, type VerdictPair } from './agreement.js';
import { groupBy } from './group-by.js';

/** What a person said about one criterion of one answer, beside what a judge said about it. */
export type JudgedLabel = {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly answer: EventId;
  readonly criterion: CriterionId;
  readonly by: PrincipalId;
  readonly at: number;
  readonly person: boolean;
  readonly judge: boolean;
  readonly blind: boolean;
};

const MOST_DISAGREEMENTS = 500;

type Figures = Pick<JudgeAgreement, 'reviewers' | 'blind' | 'all' | 'criteria' | 'people' | 'disagreements'>;

/** Everything that labels show of one judge. */
export function measureLabels(labels: readonly JudgedLabel[]): Figures {
  const blind = labels.filter((label) => label.blind);
  const people = peopleOn(blind);
  return {
    reviewers: new Set(labels.map(({ by }) => by)).size,
    blind: { ...agreementWith(blind), ...kappaSpread(blind) },
    all: { ...agreementWith(labels), ...kappaSpread(labels) },
    criteria: criteriaOf(labels),
    ...(people && { people }),
    disagreements: labels
      .filter(({ person, judge }) => person !== judge)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, MOST_DISAGREEMENTS)
      .map(({ answer: _answer, at: _at, ...label }) => label),
  };
}

/** The share of equal verdicts with its interval, and kappa. */
function agreementWith(labels: readonly JudgedLabel[]): LabelAgreement {
  const n = labels.length;
  const pairs = labels.map(({ person, judge }) => ({ first: person, second: judge }));
  const { confusion, ...figures } = agreementOn(pairs);
  const interval = n === 0 ? undefined : wilsonInterval(confusion.tp + confusion.tn, n);
  return { n, confusion, ...figures, ...defined({ interval }) };
}

/** By task: labels about the same task are alike. */
function kappaSpread(labels: readonly JudgedLabel[]): Pick<LabelAgreement, 'kappaInterval'> {
  const pairs = labels.map(({ taskId, person, judge }) => ({ taskId, first: person, second: judge }));
  if (agreementOn(pairs).kappa === undefined) return {};
  return {
    kappaInterval: kappaInterval([...groupBy(pairs, ({ taskId }) => taskId).values()].map(confusionOf)),
  };
}

function criteriaOf(labels: readonly JudgedLabel[]): JudgeAgreement['criteria'] {
  const groups = groupBy(labels, ({ criterion }) => criterion);
  return [...groups]
    .map(([id, group]) => ({ id, ...agreementWith(group) }))
    .sort((a, b) => (a.agreement ?? 0) - (b.agreement ?? 0) || b.n - a.n);
}

/** Every two people who decided the same thing; undefined when no two did. */
function peopleOn(labels: readonly JudgedLabel[]): JudgeAgreement['people'] {
  const same = groupBy(labels, ({ answer, criterion }) => `${answer} ${criterion}`);
  const pairs = [...same.values()].flatMap(pairsOf);
  return pairs.length === 0
    ? undefined
    : { n: pairs.length, ...defined({ kappa: agreementOn(pairs).kappa }) };
}

/** Whose label comes first is decided by name, so that the order in which people worked changes nothing. */
function pairsOf(labels: readonly JudgedLabel[]): readonly VerdictPair[] {
  const sorted = labels.toSorted((a, b) => (a.by < b.by ? -1 : 1));
  return sorted.flatMap(({ person: first }, at) =>
    sorted.slice(at + 1).map(({ person: second }) => ({ first, second })),
  );
}
