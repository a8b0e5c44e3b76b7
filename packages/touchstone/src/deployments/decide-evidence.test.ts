import {
  type AgentId,
  asId,
  type Digest,
  EVIDENCE_REASONS,
  type EvalReport,
  type Evidence,
  type EvidenceReason,
  type JudgeIdentity,
  type ModelName,
  type RequiredEval,
  type RunId,
  type SuiteId,
  type Version,
} from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { decideBaseline, decideEvidence, describeReason, type EvidenceClaim } from './decide-evidence.js';

type RunTotals = NonNullable<Evidence['headline']>;

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

const judge: JudgeIdentity = {
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('judge-1'),
  votes: 1,
  promptDigest: asId<Digest>('sha256:prompt'),
  digest: asId<Digest>('sha256:judge'),
};
const model = { provider: asId<ModelName>('local'), model: asId<ModelName>('small-1') };
const suite = {
  suiteId: asId<SuiteId>('core.acme.evals.refunds'),
  version: asId<Version>('1.2.0'),
  digest: asId<Digest>('sha256:suite'),
};
const agent = {
  agentId: asId<AgentId>('local.acme.support'),
  version: asId<Version>('2.0.0'),
  digest: asId<Digest>('sha256:agent'),
};
const regression = { verdict: 'pass' } as NonNullable<EvalReport['regression']>;
const aggregate = { interval: [0.9, 0.97] } as unknown as EvalReport['aggregate'];
const report = { verdict: 'pass', regression, aggregate } as EvalReport;

const CALIBRATION = {
  n: 60,
  anyAge: 80,
  kappa: 0.8,
  kappaInterval: [0.6, 0.9],
} as unknown as NonNullable<Evidence['calibration']>;
const known = (facts: object): Change => run(() => ({ calibration: { ...CALIBRATION, ...facts } }));

type Offer = {
  readonly required: RequiredEval;
  readonly claim: EvidenceClaim;
  readonly evidence: Evidence | undefined;
  readonly now: number;
};

/** A gate that asks for everything it can ask for, and a run that has it all. */
const MET: Offer = {
  required: {
    suite: 'core.acme.evals.refunds@1.2.0',
    judge: 'local/judge-1',
    maxAgeHours: 24,
    noRegression: true,
    requireConclusive: true,
    requireFollowedFiles: true,
    signedSuite: true,
    calibration: { minKappa: 0.6, minLabels: 60, conservative: true },
  },
  claim: { ...agent, evalRunId: asId<RunId>('run-1') },
  evidence: {
    runId: asId<RunId>('run-1'),
    status: 'completed',
    plan: {
      kind: 'eval',
      suite,
      suiteSignature: { keyId: 'alice' },
      agent,
      modes: ['golden', 'rubric', 'adversarial'],
      totalTasks: 3,
      repeats: 1,
      concurrency: 8,
      model,
      judge,
      safetyJudge: judge,
    },
    endedAt: NOW - 24 * HOUR,
    headline: { passed: true, unscored: 0, aggregateScore: 0.9, taskCount: 3, passedCount: 3 },
    suite: { ...suite, modes: ['golden', 'rubric', 'adversarial', 'regression', 'live-shadow'] },
    suiteSigned: true,
    model,
    report,
    calibration: CALIBRATION,
  },
  now: NOW,
};

type Change = (offer: Offer) => Offer;
const decide = ({ required, claim, evidence, now }: Offer) => decideEvidence(required, claim, evidence, now);
const gate =
  (changed: Partial<RequiredEval>): Change =>
  (offer) => ({ ...offer, required: { ...offer.required, ...changed } });
const claim =
  (changed: Partial<EvidenceClaim>): Change =>
  (offer) => ({ ...offer, claim: { ...offer.claim, ...changed } });
const run =
  (change: (evidence: Evidence) => Partial<Evidence>): Change =>
  (offer) => ({ ...offer, evidence: offer.evidence && { ...offer.evidence, ...change(offer.evidence) } });
const plan = (change: (plan: Evidence['plan']) => Partial<Evidence['plan']>): Change =>
  run((evidence) => ({ plan: { ...evidence.plan, ...change(evidence.plan) } }));
const headline = (changed: Partial<RunTotals>): Change =>
  run((evidence) => ({ headline: { ...(evidence.headline as RunTotals), ...changed } }));
const told = (changed: object): Change =>
  run((evidence) => ({ report: { ...(evidence.report as EvalReport), ...changed } }));
const without = <K extends keyof Evidence>(member: K): Change =>
  run((evidence) => ({ ...evidence, [member]: undefined }));
const absent: Change = (offer) => ({ ...offer, evidence: undefined });

const other = <T>(text: string): T => asId(text) as T;

/** The suite with a contract attached to it now. */
const bound = (contract: string): Change =>
  run(({ suite: found }) => ({
    suite: { ...(found as NonNullable<Evidence['suite']>), contract: other<Digest>(contract) },
  }));

/** Everything that can be wrong, each with one thing changed, in the order in which it is told. */
const MATRIX: readonly (readonly [EvidenceReason, string, Change])[] = [
  ['no_eval_run', 'no run was named', (offer) => absent({ ...offer, claim: agent })],
  ['not_found', 'no such run, or another owner’s', absent],
  ['not_finished', 'still running', run(() => ({ status: 'running' }))],
  ['not_finished', 'paused', run(() => ({ status: 'paused' }))],
  ['not_completed', 'failed', run(() => ({ status: 'failed' }))],
  ['not_completed', 'cancelled', run(() => ({ status: 'cancelled' }))],
  ['not_completed', 'completed without numbers', without('headline')],
  ['other_agent', 'another agent', claim({ agentId: other('local.acme.sales') })],
  ['other_version', 'another version', claim({ version: other('2.0.1') })],
  ['agent_changed', 'other bytes', claim({ digest: other('sha256:agent-2') })],
  ['files_not_followed', 'files nobody has listed', claim({ filesNotFollowed: true })],
  ['other_suite', 'another suite', gate({ suite: 'core.acme.evals.returns@1.2.0' })],
  ['other_suite', 'another version of it', gate({ suite: 'core.acme.evals.refunds@1.3.0' })],
  ['other_suite', 'an id that only begins alike', gate({ suite: 'core.acme.evals.refund' })],
  [
    'suite_changed',
    'other tasks under the same name',
    plan(() => ({ suite: { ...suite, digest: other('sha256:suite-0') } })),
  ],
  ['suite_changed', 'a suite that is gone', without('suite')],
  ['suite_changed', 'a contract that it has now', bound('sha256:c')],
  ['suite_changed', 'a contract that it no longer has', plan(() => ({ contract: other('sha256:e') }))],
  ['suite_not_signed', 'nobody had signed it then', plan(() => ({ suiteSignature: undefined as never }))],
  ['suite_not_signed', 'a key that is trusted no more', run(() => ({ suiteSigned: false }))],
  [
    'not_original',
    'a replay',
    plan(() => ({ fork: { source: other('run-0'), mode: 'replay', fromSeq: 0 } })),
  ],
  [
    'not_original',
    'a branch',
    plan(() => ({ fork: { source: other('run-0'), mode: 'branch', fromSeq: 3 } })),
  ],
  ['not_original', 'old answers judged anew', plan(() => ({ rejudgeOf: other('run-0') }))],
  ['not_whole', 'two tasks of three', plan(() => ({ ordinals: [0, 2] }))],
  ['not_whole', 'a mode left out', plan(() => ({ modes: ['golden', 'rubric'] }))],
  [
    'not_whole',
    'a mode that is not declared',
    run((evidence) => ({ suite: { ...suite, ...evidence.suite, modes: ['rubric', 'adversarial'] } })),
  ],
  ['target_mismatch', 'a suite for another agent', plan(() => ({ targetMismatchAllowed: true }))],
  ['mock_model', 'a mock model', plan(() => ({ model: { ...model, mock: true } }))],
  ['mock_model', 'a mock judge', plan(() => ({ judge: { ...judge, mock: true } }))],
  ['mock_model', 'a mock safety judge', plan(() => ({ safetyJudge: { ...judge, mock: true } }))],
  [
    'other_model',
    'a model chosen for the run',
    run(() => ({ model: { ...model, model: other('large-1') } })),
  ],
  ['other_model', 'another temperature', plan(() => ({ model: { ...model, temperature: 0.7 } }))],
  ['other_model', 'a model of its own by now', without('model')],
  ['cached', 'a remembered answer', headline({ cacheHits: 1 })],
  ['other_judge', 'another judge', gate({ judge: 'local/judge-2' })],
  ['other_judge', 'another identity', gate({ judge: 'sha256:judge-2' })],
  [
    'other_judge',
    'no judge at all',
    plan(({ judge: _none, ...kept }) => ({ ...kept, judge: undefined as never })),
  ],
  ['other_judge', 'a judge that the tenant brought along', run(() => ({ ownJudge: true }))],
  [
    'other_judge',
    'such a judge, and a gate that names none',
    (offer) => {
      const { judge: _named, ...required } = offer.required;
      return run(() => ({ ownJudge: true }))({ ...offer, required });
    },
  ],
  ['judge_uncalibrated', 'labels of nobody', without('calibration')],
  ['judge_uncalibrated', 'too few labels', known({ n: 59, anyAge: 59 })],
  ['judge_labels_stale', 'labels on old verdicts', known({ n: 59 })],
  ['judge_kappa_low', 'a judge that differs from people', known({ kappaInterval: [0.59, 0.9] })],
  [
    'scorer_not_trusted',
    'a scorer that the operator does not trust',
    plan(() => ({ scorers: [{ name: other('tone'), digest: other('sha256:1') }] })),
  ],
  ['recorded_answers', 'answers from a file', plan(() => ({ recorded: true }))],
  ['from_future', 'from a time when the clock was ahead', run(() => ({ endedAt: NOW + 60_002 }))],
  ['too_old', 'a millisecond too old', (offer) => ({ ...offer, now: NOW + 1 })],
  ['too_old', 'of unknown age', without('endedAt')],
  ['unscored', 'a task without a score', headline({ unscored: 1 })],
  ['contract_unmet', 'a contract that was not kept', run(() => ({ contractPassed: false }))],
  [
    'contract_unmet',
    'a contract nobody could decide',
    (offer) => plan(() => ({ contract: other('sha256:d') }))(bound('sha256:d')(offer)),
  ],
  ['below_score', 'a score below the one asked for', gate({ requiredPassScore: 0.91 })],
  ['not_passed', 'bars that were missed', headline({ passed: false })],
  ['not_compared', 'nothing to compare it with', run(() => ({ incomparable: true }))],
  ['not_compared', 'no report', without('report')],
  ['regression', 'worse than what serves', told({ regression: { ...regression, verdict: 'fail' } })],
  ['inconclusive', 'a result that may be chance', told({ verdict: 'inconclusive' })],
  [
    'inconclusive',
    'a comparison that may be chance',
    told({ regression: { ...regression, verdict: 'inconclusive' } }),
  ],
];

describe('evidence', () => {
  it('that lacks nothing is met', () => {
    expect(decide(MET)).toBeUndefined();
  });

  it.each(MATRIX)('is %s: %s', (reason, _what, change) => {
    expect(decide(change(MET))).toBe(reason);
  });

  it('covers every reason but those that only the caller can see', () => {
    const covered = new Set<EvidenceReason>(MATRIX.map(([reason]) => reason));
    expect(EVIDENCE_REASONS.filter((reason) => !covered.has(reason))).toEqual([
      'agent_revoked',
      'not_an_eval',
    ]);
  });

  it('with two faults is refused for the earlier one', () => {
    for (const [first, [reason, , change]] of MATRIX.entries())
      for (const [, , later] of MATRIX.slice(first + 1)) {
        const both = decide(change(later(MET)));
        // Some later changes overwrite the earlier one, so both orders are tried: one of them has both faults.
        const reasons = [both, decide(later(change(MET)))];
        expect(reasons).toContain(reason);
      }
  });

  const fine: readonly (readonly [string, Change])[] = [
    ['a bare suite id', gate({ suite: 'core.acme.evals.refunds' })],
    ['the digest of the judge', gate({ judge: 'sha256:judge' })],
    ['a gate that does not mind the judge', gate({ judge: undefined as never })],
    ['all tasks, listed one by one', plan(() => ({ ordinals: [2, 0, 1] }))],
    ['a comparison besides', plan(() => ({ modes: ['golden', 'rubric', 'adversarial', 'regression'] }))],
    [
      'files nobody has listed, where that is let pass',
      (offer) => gate({ requireFollowedFiles: false })(claim({ filesNotFollowed: true })(offer)),
    ],
    ['a clock that was put right a little', run(() => ({ endedAt: NOW + 60_000 }))],
    [
      'a time that lies ahead, where any age will do',
      (offer) => gate({ maxAgeHours: undefined as never })(run(() => ({ endedAt: NOW + 100 * HOUR }))(offer)),
    ],
    ['nothing that serves yet', told({ regression: undefined })],
    [
      'an unsure bar of the suite, where the gate has a score of its own that is sure',
      (offer) => gate({ requiredPassScore: 0.85 })(told({ verdict: 'inconclusive' })(offer)),
    ],
    [
      'an unsure result where that is let pass',
      (offer) => gate({ requireConclusive: false })(told({ verdict: 'inconclusive' })(offer)),
    ],
    [
      'a regression where that is let pass',
      (offer) =>
        gate({ noRegression: false })(told({ regression: { ...regression, verdict: 'fail' } })(offer)),
    ],
    [
      'a contract that was kept',
      (offer) =>
        plan(() => ({ contract: other('sha256:c') }))(
          run(() => ({ contractPassed: true }))(bound('sha256:c')(offer)),
        ),
    ],
    [
      'exactly the score asked for, whatever the bars',
      (offer) => gate({ requiredPassScore: 0.9 })(headline({ passed: false })(offer)),
    ],
  ];
  it.each(fine)('is met with %s', (_what, change) => {
    expect(decide(change(MET))).toBeUndefined();
  });

  it('is held to the bar that decides: a score of the gate’s own has to be out of reach of chance', () => {
    const own = gate({ requiredPassScore: 0.89 });
    expect(decide(own(told({ aggregate: { interval: [0.88, 0.95] } })(MET)))).toBe('inconclusive');
    expect(decide(own(told({ aggregate: { interval: [0.89, 0.95] } })(MET)))).toBeUndefined();
  });

  it('of a suite that only runs live has to have run live', () => {
    const sole = run(() => ({ suite: { ...suite, modes: ['live-shadow'] } }));
    expect(decide(sole(plan(() => ({ modes: ['live-shadow'] }))(MET)))).toBeUndefined();
    expect(decide(sole(plan(() => ({ modes: ['regression'] }))(MET)))).toBe('not_whole');
  });
});

describe('a baseline', () => {
  const OF_EVIDENCE_ONLY: readonly EvidenceReason[] = [
    'no_eval_run',
    'not_found',
    'judge_uncalibrated',
    'judge_labels_stale',
    'judge_kappa_low',
    'from_future',
    'too_old',
    'contract_unmet',
    'below_score',
    'not_passed',
    'not_compared',
    'regression',
    'inconclusive',
  ];
  it.each(MATRIX.filter(([reason]) => !OF_EVIDENCE_ONLY.includes(reason)))(
    'is none, like evidence, for being %s: %s',
    (reason, _what, change) => {
      const { required, claim, evidence, now } = change(MET);
      expect(decideBaseline(required, claim, evidence as Evidence, now)).toBe(reason);
    },
  );

  it('may be of any age and of any result', () => {
    const poor = headline({ passed: false, aggregateScore: 0 })(run(() => ({ endedAt: 0 }))(MET));
    expect(decideBaseline(poor.required, poor.claim, poor.evidence as Evidence, NOW)).toBeUndefined();
  });
});

describe('a correction by people', () => {
  const raised = run(() => ({ adjusted: { score: 0.95, passed: true } }));
  const lowered = run(() => ({ adjusted: { score: 0.2, passed: false } }));
  const accepted = gate({ acceptOverrides: true });
  const cases: readonly (readonly [string, readonly Change[], EvidenceReason | undefined])[] = [
    ['counts for nothing by default', [raised, headline({ passed: false })], 'not_passed'],
    ['makes a run pass where it is accepted', [raised, headline({ passed: false }), accepted], undefined],
    [
      'reaches a score where it is accepted',
      [raised, gate({ requiredPassScore: 0.92, requireConclusive: false }), accepted],
      undefined,
    ],
    ['does not reach it by default', [raised, gate({ requiredPassScore: 0.92 })], 'below_score'],
    ['counts against the agent as well', [lowered, accepted], 'not_passed'],
    [
      'does not mend a contract',
      [raised, accepted, run(() => ({ contractPassed: false }))],
      'contract_unmet',
    ],
  ];
  it.each(cases)('%s', (_what, changes, reason) => {
    expect(decide(changes.reduce((offer, change) => change(offer), MET))).toBe(reason);
  });
});

it('every reason has a sentence of its own that says what to do', () => {
  const sentences = EVIDENCE_REASONS.map(describeReason);
  expect(new Set(sentences).size).toBe(EVIDENCE_REASONS.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][^"`{}]+\. [A-Z][^"`{}]+\.$/);
});
