import type { Expectation, ImportedTest, ItemCollector, SourcePointer } from '../imported.js';
import { itemsOf, lookUp, member, type Node, number, text, wordOf } from '../nodes.js';
import { sequenceOf, type ToolUse } from '../tool-calls.js';
import { either, type Invocation } from './invocations.js';

/** What `test_config.json` asks for: a threshold, or an object with one. */
export type Criterion = { readonly name: string; readonly node: Node };

/** What ADK asks for where no configuration is. */
export const DEFAULT_CRITERIA: { readonly [name: string]: number } = {
  tool_trajectory_avg_score: 1,
  response_match_score: 0.8,
};

/** An eval case as criteria see it. */
export type CaseFacts = {
  readonly at: SourcePointer;
  readonly invocations: readonly Invocation[];
  /** A conversation answers with an object; its last answer is in there. */
  readonly pointer: { readonly at?: string };
  readonly items: ItemCollector;
};

type Reading = Pick<ImportedTest, 'expect' | 'lost'>;
const NOTHING: Reading = { expect: [], lost: 0 };

export function readCriterion({ name, node }: Criterion, facts: CaseFacts): Reading {
  const read = lookUp(READERS, name);
  if (read) return read(node, facts);
  facts.items.lost(node.at, `criterion ${name}: no check does the same`);
  return { expect: [], lost: 1 };
}

const one = (at: SourcePointer, entry: Expectation): Reading => ({ expect: [{ at, entry }], lost: 0 });
const thresholdOf = (node: Node): number | undefined => number(node) ?? number(member(node, 'threshold'));
const lastOf = ({ invocations }: CaseFacts): Invocation | undefined => invocations.at(-1);

const READERS: { readonly [name: string]: (node: Node, facts: CaseFacts) => Reading } = {
  tool_trajectory_avg_score: readTrajectory,
  response_match_score: readResponseMatch,
  final_response_match_v2: readResponseJudge,
  rubric_based_final_response_quality_v1: (node, facts) =>
    readRubrics(itemsOf(member(node, 'rubrics')), facts),
  rubric_based_tool_use_quality_v1: (node, facts) =>
    readRubrics(itemsOf(member(node, 'rubrics')), facts, 'TOOL_USE_QUALITY'),
};

const ORDERS: { readonly [matchType: string]: 'exact' | 'in-order' | 'any-order' } = {
  EXACT: 'exact',
  IN_ORDER: 'in-order',
  ANY_ORDER: 'any-order',
  0: 'exact',
  1: 'in-order',
  2: 'any-order',
};

function readTrajectory(node: Node, facts: CaseFacts): Reading {
  const { invocations, items } = facts;
  if (invocations.length === 0) return NOTHING;
  if (thresholdOf(node) === 0) return met(node, facts, 'tool_trajectory_avg_score with the threshold 0');
  const order = lookUp(ORDERS, wordOf(either(node, 'match_type').value ?? 'EXACT').toUpperCase()) ?? 'exact';
  const uses = invocations.flatMap((invocation) => invocation.uses).map(usesFor(node));
  if (invocations.length > 1)
    items.changed(
      facts.at,
      'tool uses of several turns',
      'one sequence over the whole conversation, all of which has to fit',
    );
  if (uses.length > 0) return one(facts.at, sequenceOf(uses, order));
  if (order === 'exact') return one(facts.at, { 'tool-not-called': '*' });
  return met(node, facts, 'tool_trajectory_avg_score without expected tool uses');
}

/** `ignore_args` compares names only. */
const usesFor =
  (node: Node) =>
  ({ name, inputs }: ToolUse): ToolUse =>
    either(node, 'ignore_args').value === true || inputs === undefined ? { name } : { name, inputs };

function met({ at }: Node, { items }: CaseFacts, what: string): Reading {
  items.note(at, `${what}: left out, because every answer passes it`);
  return NOTHING;
}

function readResponseMatch(node: Node, facts: CaseFacts): Reading {
  const { reply, replyText } = lastOf(facts) ?? {};
  if (!reply || replyText === undefined) return NOTHING;
  const min = thresholdOf(node) ?? DEFAULT_CRITERIA.response_match_score ?? 1;
  const turns = facts.invocations.length > 1 ? ', and only the last answer counts' : '';
  facts.items.changed(
    reply.at,
    'response_match_score',
    `overlap with rouge-1: words are not reduced to their stems${turns}`,
  );
  return one(reply.at, { overlap: replyText, metric: 'rouge-1', min, ...facts.pointer });
}

function readResponseJudge(_: Node, facts: CaseFacts): Reading {
  const { reply, replyText } = lastOf(facts) ?? {};
  if (!reply || replyText === undefined) return NOTHING;
  facts.items.changed(reply.at, 'final_response_match_v2', "judge: this host's judge and its question");
  return one(reply.at, {
    judge: { reference: replyText },
    says: 'The final answer agrees with the reference.',
  });
}

/** Rubrics of the configuration, of the case and of its turns are sentences for the judge. */
export function readRubrics(rubrics: readonly Node[], { items }: CaseFacts, usual = ''): Reading {
  const readings = rubrics.map((rubric) => {
    const sentence = text(either(either(rubric, 'rubric_content'), 'text_property'));
    if (sentence === undefined) {
      items.lost(rubric.at, 'rubric without a text');
      return { expect: [], lost: 1 };
    }
    items.changed(rubric.at, 'rubric', "a sentence for this host's judge");
    const isOfTools = (text(member(rubric, 'type')) ?? usual).startsWith('TOOL_USE');
    return one(rubric.at, isOfTools ? { judge: { sees: ['calls'] }, says: sentence } : sentence);
  });
  return joined(readings);
}

export const joined = (readings: readonly Reading[]): Reading => ({
  expect: readings.flatMap(({ expect }) => expect),
  lost: readings.reduce((sum, { lost }) => sum + lost, 0),
});
