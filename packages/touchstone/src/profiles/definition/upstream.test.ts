// Goal: definitions behave here as they do where their format comes from. Each test is named by the id of the rule.
import { describe, expect, test } from 'vitest';
import {
  agentDefinition,
  agentManifest,
  dumpDefinition,
  dumpProfile,
  evaluationCard,
  evaluationProfile,
  successCriterion,
  withChange,
} from './builders.js';
import { agentsOf, type ManifestAgent } from './manifest.js';
import { parseDefinition, readDefinition } from './read-definition.js';
import { issuesOf, manifestAgent, manifestOf, minimalDefinition, POLICIES } from './testing/definitions.js';

const criterion = { name: 'accuracy', description: 'The answer is right.', threshold: 0.95 };

describe('form A', () => {
  test('A-1: a full criterion keeps its name, threshold and strictness', () => {
    const full = successCriterion({ name: 'accuracy', description: 'Right.', threshold: 0.9, strict: true });
    expect(full).toEqual({ name: 'accuracy', description: 'Right.', threshold: 0.9, strict: true });
  });

  test('A-2: a criterion with a name only is strict and has no threshold', () => {
    expect(successCriterion({ name: 'tone' })).toEqual({
      name: 'tone',
      description: null,
      threshold: null,
      strict: true,
    });
  });

  test('A-3: a full profile keeps its latency, rubric and evaluator', () => {
    const profile = evaluationProfile({
      expected_latency_ms: 100,
      golden_dataset_uri: 's3://data/a.json',
      grading_rubric: [{ name: 'tone' }],
      evaluator_model: 'judge-1',
    });
    expect(profile.expected_latency_ms).toBe(100);
    expect(profile.grading_rubric?.[0]?.name).toBe('tone');
    expect(profile.evaluator_model).toBe('judge-1');
  });

  test('A-4: an empty profile has neither latency nor rubric', () => {
    expect(evaluationProfile({})).toEqual({
      expected_latency_ms: null,
      golden_dataset_uri: null,
      grading_rubric: null,
      evaluator_model: null,
    });
    expect(dumpProfile(evaluationProfile(), 'A')).toEqual({});
  });

  test('A-5: a draft that is copied with a profile shows it', () => {
    const draft = agentDefinition(minimalDefinition());
    const evaluation = evaluationProfile({ expected_latency_ms: 500, grading_rubric: [{ name: 'tone' }] });
    const copy = withChange(draft, { evaluation });
    expect(draft).toMatchObject({ evaluation: null, status: 'draft' });
    expect(copy.evaluation?.expected_latency_ms).toBe(500);
    expect(copy.evaluation?.grading_rubric?.[0]?.name).toBe('tone');
    expect(parseDefinition(copy).agents[0]?.evaluation).toEqual(evaluation);
  });

  test('A-6: a dump has the latency and the rubric, in declared order and without nulls', () => {
    const profile = evaluationProfile({
      evaluator_model: 'judge-1',
      grading_rubric: [{ strict: false, name: 'tone' }],
      expected_latency_ms: 100,
    });
    expect(JSON.stringify(dumpProfile(profile, 'A'))).toBe(
      '{"expected_latency_ms":100,"grading_rubric":[{"name":"tone","strict":false}],"evaluator_model":"judge-1"}',
    );
  });
});

describe('form B', () => {
  const withEvaluation = (evaluation: unknown) => manifestOf({ desk: manifestAgent('desk', { evaluation }) });
  const evaluationOf = (evaluation: unknown) =>
    parseDefinition(withEvaluation(evaluation)).agents[0]?.evaluation;

  test('B-1: the dump of an agent nests its evaluation', () => {
    const manifest = agentManifest(withEvaluation({ expected_latency_ms: 200, grading_rubric: [criterion] }));
    expect(dumpDefinition(manifest)).toMatchObject({
      definitions: {
        desk: {
          evaluation: { expected_latency_ms: 200, grading_rubric: [{ name: 'accuracy', threshold: 0.95 }] },
        },
      },
    });
  });

  test('B-2: a threshold that is no number is refused, and a built criterion cannot be assigned to', () => {
    const wrong = { ...criterion, threshold: 'not-a-float' as unknown as number };
    expect(() => successCriterion(wrong, 'B')).toThrow('valid number');
    const built = successCriterion(criterion, 'B') as { threshold: number | null };
    expect(() => {
      built.threshold = 1;
    }).toThrow(TypeError);
  });

  test('B-3: a whole manifest loads, its URI verbatim and its strictness kept', () => {
    const evaluation = evaluationOf({
      golden_dataset_uri: 'http://example.com/data',
      grading_rubric: [{ ...criterion, strict: false }],
    });
    expect(evaluation?.golden_dataset_uri).toBe('http://example.com/data');
    expect(evaluation?.grading_rubric?.[0]?.strict).toBe(false);
  });

  test('B-4: an empty rubric is valid, alone and in an agent', () => {
    expect(evaluationProfile({ grading_rubric: [] }, 'B').grading_rubric).toEqual([]);
    expect(evaluationOf({ grading_rubric: [] })?.grading_rubric).toEqual([]);
    expect(dumpProfile(evaluationProfile({}, 'B'), 'B')).toEqual({ grading_rubric: [] });
    expect(issuesOf(() => evaluationProfile({ grading_rubric: null }, 'B'))[0]?.pointer).toBe(
      '/grading_rubric',
    );
  });

  test('B-5: latency, URI and evaluator may be null', () => {
    const nulls = { expected_latency_ms: null, golden_dataset_uri: null, evaluator_model: null };
    expect(evaluationOf(nulls)).toEqual({ ...nulls, grading_rubric: [] });
  });

  test.each([0.0, 1.0, -1.5, 100.0])('B-6: a threshold of %d loads', (threshold) => {
    expect(successCriterion({ ...criterion, threshold }, 'B').threshold).toBe(threshold);
  });

  test('B-7: a description of ten thousand characters loads unchanged', () => {
    const description = 'ä'.repeat(10_000);
    expect(successCriterion({ ...criterion, description }, 'B').description).toBe(description);
  });

  test('B-8: loading what was dumped gives an equal manifest', () => {
    const once = readDefinition(POLICIES);
    const again = readDefinition(JSON.stringify(dumpDefinition(once.value)));
    expect(again).toEqual(once);
    expect(again.agents[0]?.sha256).toBe(once.agents[0]?.sha256);
  });

  test('B-9: a strict agent, a lax one and one without evaluation keep what they have', () => {
    const manifest = manifestOf({
      a: manifestAgent('a', { evaluation: { grading_rubric: [criterion] } }),
      b: manifestAgent('b', { evaluation: { grading_rubric: [{ ...criterion, strict: false }] } }),
      c: manifestAgent('c'),
    });
    const { agents } = parseDefinition(manifest);
    expect(agents.map(({ evaluation }) => evaluation?.grading_rubric?.[0]?.strict)).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(agents[2]).not.toHaveProperty('evaluation');
  });

  test('B-10: a copy with a change leaves the old value alone, at every level', () => {
    const manifest = agentManifest(withEvaluation({ grading_rubric: [criterion] }));
    const [agent] = agentsOf(manifest) as readonly [ManifestAgent];
    const renamed = withChange(agent, { name: 'Other' });
    expect([agent.name, renamed.name, renamed.evaluation]).toEqual([
      'Parcel Desk',
      'Other',
      agent.evaluation,
    ]);
    const first = agent.evaluation?.grading_rubric?.[0] ?? successCriterion(criterion);
    expect(withChange(first, { threshold: 0.5 })).toEqual({ ...first, threshold: 0.5 });
    // A criterion of form B keeps to the rules of form B.
    expect(() => withChange(first, { threshold: null })).toThrow('valid number');
    expect(() => withChange({ ...first }, { threshold: 0.5 })).toThrow('read or built here');
  });

  test('B-11: the card has a heading, the criteria and the SLA, and is empty without an evaluation', () => {
    const evaluation = evaluationProfile({
      expected_latency_ms: 0,
      grading_rubric: [
        { name: 'accuracy', description: 'Right.', threshold: 0.9 },
        { name: 'tone', description: 'Kind,\n# and <b>warm</b>.' },
        { name: 'length' },
      ],
    });
    expect(evaluationCard({ evaluation })).toBe(
      [
        '## Evaluation',
        '',
        '- accuracy: Right. (Threshold: 0.9)',
        '- tone: Kind, # and &lt;b>warm&lt;/b>.',
        '- length',
        '- SLA: 0ms latency',
        '',
      ].join('\n'),
    );
    expect(evaluationCard({ evaluation: evaluationProfile() })).toBe('## Evaluation\n');
    expect(evaluationCard({})).toBe('');
  });

  test('B-12: an evaluator node takes the name of a profile or a profile, but no broken one', () => {
    const judged = (evaluation_profile: unknown) =>
      manifestOf(
        {
          flow: { type: 'recipe', topology: { nodes: [{ type: 'evaluator', id: 'e', evaluation_profile }] } },
        },
        { kind: 'Recipe' },
      );
    const profile = { grading_rubric: [criterion] };
    expect(parseDefinition(judged('shared-profile')).agents).toEqual([]);
    expect(dumpDefinition(parseDefinition(judged(profile)).value)).toMatchObject(judged(profile));
    expect(issuesOf(() => parseDefinition(judged({ grading_rubrik: [] })))[0]?.pointer).toBe(
      '/definitions/flow/topology/nodes/0/evaluation_profile/grading_rubrik',
    );
    const step = { main: { type: 'evaluator', evaluation_profile: 7 } };
    const inWorkflow = manifestOf({}, { workflow: { start: 'main', steps: step } });
    expect(issuesOf(() => parseDefinition(inWorkflow))[0]?.pointer).toBe(
      '/workflow/steps/main/evaluation_profile',
    );
  });
});
