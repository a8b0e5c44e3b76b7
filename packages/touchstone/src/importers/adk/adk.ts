import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { readDocument, unreadable } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  ImportFormat,
  ImportRequest,
  Sample,
  SourceFile,
} from '../imported.js';
import { isFilled, itemsOf, member, type Node, rootOf, text } from '../nodes.js';
import { fixturesOf } from '../tool-calls.js';
import {
  type CaseFacts,
  type Criterion,
  DEFAULT_CRITERIA,
  joined,
  readCriterion,
  readRubrics,
} from './criteria.js';
import { either, type Invocation, invocationOf } from './invocations.js';

const CONFIG = 'test_config.json';

/** Eval sets of the Agent Development Kit, in the form of today and in the one before. */
export const ADK: ImportFormat = { read, fits, options: [] };

function fits({ value }: Sample): boolean {
  if (!isObject(value)) return false;
  const has = (...names: readonly string[]): boolean => names.some((name) => Object.hasOwn(value, name));
  return (
    has('eval_cases', 'evalCases') ||
    (has('query') && has('expected_tool_use', 'reference')) ||
    isOldCase(value)
  );
}

const isOldCase = (value: JsonObject): boolean =>
  Array.isArray(value.data) && isObject(value.data[0] as Json) && 'query' in (value.data[0] as JsonObject);

function read(request: ImportRequest): ImportDraft {
  const documents = request.files.map((file) => ({ file, root: rootOf(readDocument(file)) }));
  const isConfig = ({ root }: { readonly root: Node }): boolean => isFilled(member(root, 'criteria'));
  const config = documents.find(isConfig)?.root;
  const tests = documents
    .filter((document) => !isConfig(document))
    .flatMap(({ file, root }) => {
      const criteria = criteriaOf(config ?? configBeside(file, request), root);
      return casesOf(root).map((one) => testOf(one, criteria, request));
    });
  return { tests, suite: { thresholds: { passScore: 1 } } };
}

/** ADK looks for the configuration in the folder of the file. */
function configBeside(file: SourceFile, { open }: ImportRequest): Node | undefined {
  const [config] = open(CONFIG, file);
  return config && rootOf(readDocument(config));
}

function criteriaOf(config: Node | undefined, root: Node): readonly Criterion[] {
  const criteria = config && member(config, 'criteria');
  if (criteria && isObject(criteria.value))
    return Object.keys(criteria.value).map((name) => ({ name, node: member(criteria, name) }));
  return Object.entries(DEFAULT_CRITERIA).map(([name, value]) => ({ name, node: { at: root.at, value } }));
}

/** A case with its turns. A bare list of turns is one conversation. */
type EvalCase = { readonly node: Node; readonly id: string | undefined; readonly turns: readonly Node[] };

function casesOf(root: Node): readonly EvalCase[] {
  const cases = itemsOf(either(root, 'eval_cases'));
  if (cases.length > 0)
    return cases.map((node) => ({
      node,
      id: text(either(node, 'eval_id')),
      turns: itemsOf(member(node, 'conversation')),
    }));
  const rows = itemsOf(root);
  if (rows.some((row) => member(row, 'query').value !== undefined))
    return [{ node: root, id: undefined, turns: rows }];
  if (rows.length === 0) throw unreadable(root.at.document.file, 'Expected an eval set with eval_cases.');
  return rows.map((node) => ({ node, id: text(member(node, 'name')), turns: itemsOf(member(node, 'data')) }));
}

function testOf(
  { node, id, turns }: EvalCase,
  criteria: readonly Criterion[],
  { items }: ImportRequest,
): ImportedTest {
  const invocations = turns.map((turn) => invocationOf(turn, items));
  const scenario = either(node, 'conversation_scenario');
  const isOneTurn = invocations.length === 1 && !isFilled(scenario);
  const facts: CaseFacts = { at: node.at, invocations, items, pointer: isOneTurn ? {} : { at: '/answer' } };
  const own = [...itemsOf(member(node, 'rubrics')), ...invocations.flatMap(({ rubrics }) => rubrics)];
  const readings = [...criteria.map((criterion) => readCriterion(criterion, facts)), readRubrics(own, facts)];
  reportStates(node, items);
  const fixtures = fixturesOf(invocations.flatMap(({ answers }) => answers));
  return {
    at: node.at,
    ...(id !== undefined && { id }),
    input: inputOf(invocations, scenario),
    ...joined(readings),
    ...(fixtures && { fixtures }),
  };
}

function inputOf(invocations: readonly Invocation[], scenario: Node): Json {
  if (isFilled(scenario)) return { user: userOf(scenario) };
  const [first, ...others] = invocations.map(({ says }) => says);
  return others.length === 0 ? (first ?? '') : { turns: [first ?? '', ...others] };
}

function userOf(scenario: Node): JsonObject {
  const persona = either(scenario, 'user_persona');
  const described = text(persona) ?? text(member(persona, 'description'));
  return {
    opening: text(either(scenario, 'starting_prompt')) ?? '',
    goal: text(either(scenario, 'conversation_plan')) ?? '',
    ...(described !== undefined && { persona: described }),
  };
}

function reportStates(node: Node, items: ImportRequest['items']): void {
  const session = either(node, 'session_input');
  const initial = member(session.value === undefined ? either(node, 'initial_session') : session, 'state');
  if (isFilled(initial)) items.lost(initial.at, 'the state of the session before the first turn');
  const final = either(node, 'final_session_state');
  if (isFilled(final)) items.lost(final.at, 'the state of the session after the last turn');
}
