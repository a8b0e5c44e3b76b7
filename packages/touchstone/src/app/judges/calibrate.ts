import {
  type Agreement,
  asId,
  type CalibrationLabel,
  type CriterionId,
  defined,
  type Interval,
  type JudgeIdentity,
  type TaskId,
  type UnscoredReason,
} from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import { agreementOn, foldCalibration, unnamedLabel } from '../../scorecard/index.js';
import type { Judging } from './judging.js';
import type { Label, LabelGroup } from './labels.js';
import { answerSubject, taskSubject } from './subjects.js';

/** What became of one label. */
export type Judgement = {
  readonly label: Label;
  readonly by: LabelGroup['by'];
  /** Absent when it was not decided. */
  readonly criterion?: CriterionId;
  /** Absent when the judge said nothing that can be read. */
  readonly met?: boolean;
  /** The share of votes that said so. */
  readonly agreement?: number;
  readonly reason?: string;
  readonly unscored?: UnscoredReason;
};

type CheckedLabels = {
  /** In the order of the file. */
  readonly judgements: readonly Judgement[];
  readonly questions: number;
  readonly costUsd?: number;
  readonly unpriced: number;
};

/** What a file of labels shows of a judge. */
export type Calibration = Omit<CheckedLabels, 'judgements'> & {
  /** Absent when every criterion was a check. */
  readonly judge?: JudgeIdentity;
  readonly labels: number;
  /** People against the judge; checks are not in it, because they would agree with any judge. */
  readonly judged: Agreement & { readonly kappaInterval?: Interval };
  /** What the judge said of each label that it decided, without content. */
  readonly verdicts: readonly CalibrationLabel[];
  readonly checks: Omit<Agreement, 'kappa'>;
  readonly unreadable: number;
  readonly unreachable: number;
  /** Labels that were decided otherwise, in the order of the file. */
  readonly disagreements: readonly Judgement[];
  /** Labels that were not decided. */
  readonly undecided: readonly Judgement[];
};

/** How far the checking is. */
export type CheckProgress = {
  readonly total: number;
  readonly done: number;
  readonly same: number;
  readonly different: number;
  readonly costUsd?: number;
};

const AT_A_TIME = 8;

/** Holds a judge against what people said. Rejects when the signal aborts: a part of the labels would show another kappa. */
export async function calibrate(
  judging: Judging,
  groups: readonly LabelGroup[],
  signal: AbortSignal,
  onProgress: (progress: CheckProgress) => void,
): Promise<Calibration> {
  const { judgements, ...spent } = await checkLabels(judging, groups, signal, onProgress);
  const { kappa: _, ...checks } = agreementOn(pairsOf(judgements.filter(({ by }) => by === 'check')));
  const verdicts = judgements.flatMap((one) => verdictLabel(one, judging.at));
  const undecided = judgements.filter(({ met }) => met === undefined);
  const count = (reason: Judgement['unscored']): number =>
    undecided.filter(({ unscored }) => unscored === reason).length;
  return {
    ...(judging.judge && { judge: judging.judge }),
    labels: judgements.length,
    judged: {
      ...agreementOn(pairsOf(judgements.filter(({ by }) => by === 'judge'))),
      ...defined({ kappaInterval: foldCalibration(verdicts).kappaInterval }),
    },
    verdicts,
    checks,
    unreadable: count('judge_unreadable'),
    unreachable: count('judge_unreachable'),
    disagreements: judgements.filter(({ met, label }) => met !== undefined && met !== label.met),
    undecided,
    ...spent,
  };
}

/** Has every group decided, a few at a time. */
async function checkLabels(
  judging: Judging,
  groups: readonly LabelGroup[],
  signal: AbortSignal,
  onProgress: (progress: CheckProgress) => void,
): Promise<CheckedLabels> {
  const sum = createSum(groups.reduce((count, { labels }) => count + labels.length, 0));
  const waiting = groups.entries();
  const work = async (): Promise<void> => {
    for (const [at, group] of waiting) {
      signal.throwIfAborted();
      const scored = await judging.score(taskOf(group, at), transcriptOf(group, at), signal);
      sum.add(group, scored);
      onProgress(sum.progress());
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return sum.end();
}

const taskOf = ({ input, criteria }: LabelGroup, at: number): Task => ({
  taskId: asId<TaskId>(`labels-${at}`),
  input: toBody(input),
  expected: {
    kind: 'rubric',
    rubric: criteria.map((criterion) => ({ criterion: toBody(criterion), weight: 1 })),
  },
});

const transcriptOf = ({ output }: LabelGroup, at: number) =>
  ({ output: toBody(output), outcome: 'completed', toolCalls: [], seed: `${at}.0` }) as const;

type Scored = Awaited<ReturnType<Judging['score']>>;

function createSum(total: number) {
  const judgements: Judgement[] = [];
  let same = 0;
  let different = 0;
  let questions = 0;
  let unpriced = 0;
  let costUsd: number | undefined;
  return {
    add(group: LabelGroup, scored: Scored): void {
      for (const judgement of judgementsOf(group, scored)) {
        judgements.push(judgement);
        if (judgement.met === judgement.label.met) same += 1;
        else if (judgement.met !== undefined) different += 1;
      }
      for (const call of scored.usage) {
        questions += 1;
        if (call.costUsd === undefined) unpriced += 1;
        else costUsd = (costUsd ?? 0) + call.costUsd;
      }
    },
    progress(): CheckProgress {
      const done = judgements.length;
      return { total, done, same, different, ...(costUsd !== undefined && { costUsd }) };
    },
    end(): CheckedLabels {
      judgements.sort((a, b) => a.label.line - b.label.line);
      return { judgements, questions, unpriced, ...(costUsd !== undefined && { costUsd }) };
    },
  };
}

function judgementsOf(group: LabelGroup, { score, criteria, bodies }: Scored): readonly Judgement[] {
  const { by } = group;
  return group.labels.map((label) => {
    if (score.kind === 'unscored')
      return { label, by, unscored: score.reason, ...(bodies?.reason && { reason: bodies.reason }) };
    const place = group.criteria.indexOf(label.criterion);
    const result = criteria?.[place];
    const reason = bodies?.criteria?.[place]?.reason;
    return {
      label,
      by,
      met: result?.met === true,
      ...defined({ criterion: result?.id, agreement: result?.agreement, reason }),
    };
  });
}

/** None for what a check decided: it would agree with any judge. */
function verdictLabel({ label, by, met, criterion }: Judgement, judgedAt: number): CalibrationLabel[] {
  if (by === 'check' || met === undefined || criterion === undefined) return [];
  const { input, output, line, at = judgedAt, seen } = label;
  return [
    {
      task: taskSubject(input),
      answer: answerSubject(input, output),
      criterion,
      person: label.met,
      judge: met,
      ...(seen && { seen }),
      by: label.by ?? unnamedLabel(line),
      at,
      judgedAt,
    },
  ];
}

/** What people and the judge, or a check, said of the same thing. */
const pairsOf = (judgements: readonly Judgement[]) =>
  judgements.flatMap(({ label, met }) => (met === undefined ? [] : [{ first: label.met, second: met }]));
