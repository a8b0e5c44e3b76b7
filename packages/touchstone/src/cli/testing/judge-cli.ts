import { openTestCli, type TestCli } from './test-cli.js';

export type Judges = TestCli & {
  configure(more?: object): void;
};

/**
 * A project with an agent, a rubric suite, and one script that plays several judges: `strict` and `mild` differ in two of
 * three verdicts, `mumbles` answers in prose, `twice` contradicts itself, and nobody has written down what `silent` says.
 */
export function openJudgeCli(options?: Parameters<typeof openTestCli>[0]): Judges {
  const desk = openTestCli(options);
  const { write } = desk;
  const configure = (more: object = {}): void =>
    write('touchstone.config.json', {
      providers: { offline: { kind: 'scripted', path: 'judges.json' } },
      judge: { model: 'offline/strict' },
      agents: [
        { agentId: 'local.test.support', version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } },
      ],
      ...more,
    });
  configure();
  write('judges.json', { replies: REPLIES });
  write('agent.mjs', AGENT);
  write('tone.suite.json', suite());
  return { ...desk, configure };
}

const AGENT = `export default ({ q }) => q === 'late' ? 'ANSWER-LATE: sorry, it comes tomorrow.' : 'ANSWER-RUDE: no.';`;

export const suite = (members: object = {}): object => ({
  suiteId: 'local.test.evals.tone',
  version: '1.0.0',
  modes: ['rubric'],
  tasks: [
    rubricTask('late', [
      ['SENTENCE-ONE: it apologises.', 0.5],
      ['SENTENCE-TWO: it promises no date.', 0.3],
      ['[check:length {"max":100}] SENTENCE-CHECK: it is short.', 0.2],
    ]),
    rubricTask('rude', [['SENTENCE-THREE: it is polite.', 1]]),
  ],
  ...members,
});

export const rubricTask = (taskId: string, rubric: readonly (readonly [string, number])[]): object => ({
  taskId,
  input: { q: taskId },
  expected: { kind: 'rubric', rubric: rubric.map(([criterion, weight]) => ({ criterion, weight })) },
});

const verdict = (criterion: number, met: boolean): object => ({
  criterion,
  met,
  reason: `REASON-${met ? 'MET' : 'UNMET'}.`,
});
const says = (model: string, contains: string, verdicts: readonly object[], costUsd: number): object => ({
  when: { model, contains },
  json: { verdicts },
  usage: { inputTokens: 10, outputTokens: 5, costUsd },
});

const REPLIES = [
  says('strict', 'ANSWER-LATE', [verdict(1, true), verdict(2, false)], 0.01),
  says('strict', 'ANSWER-RUDE', [verdict(1, false)], 0.01),
  says('mild', 'ANSWER-LATE', [verdict(1, true), verdict(2, true)], 0.002),
  says('mild', 'ANSWER-RUDE', [verdict(1, true)], 0.002),
  { when: { model: 'mumbles' }, text: 'I would say that it is met.' },
  says('twice', 'ANSWER', [verdict(1, true), verdict(1, false)], 0),
];
