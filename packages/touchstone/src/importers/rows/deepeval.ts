import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside, placeIn } from '../documents.js';
import type { ImportedTest, ItemCollector, PlacedExpectation, SourceDocument } from '../imported.js';
import { wordOf } from '../nodes.js';
import { toolIdOf } from '../tool-names.js';

/** A row about a conversation: fixed turns, or a user who is played. Undefined for a row with one question. */
export function deepevalTest(document: SourceDocument, items: ItemCollector): ImportedTest | undefined {
  const row = document.value as JsonObject;
  const { scenario, turns, expected_outcome: outcome, name } = row;
  if (typeof scenario !== 'string' && !Array.isArray(turns)) return undefined;
  const at = placeIn(document);
  const input = conversationOf(row, document, items);
  const expect: PlacedExpectation[] = [];
  if (typeof outcome === 'string' && outcome !== '') {
    const there = inside(at, 'expected_outcome');
    const entry = { judge: {}, says: `The conversation ends like this: ${outcome}` };
    items.changed(
      there,
      'expected_outcome: a metric of DeepEval decides it there',
      "a question to this host's judge",
    );
    expect.push({ at: there, entry });
  }
  return { at, ...(typeof name === 'string' && { id: name }), input, expect, lost: 0 };
}

function conversationOf(row: JsonObject, document: SourceDocument, items: ItemCollector): JsonObject {
  const { scenario, turns, user_description: persona } = row;
  const said = Array.isArray(turns) ? (turns as readonly Json[]).flatMap(userTurn) : [];
  if (said.length > 0) return { turns: said };
  const hint = 'Write what the user says first.';
  items.changed(
    inside(placeIn(document), 'scenario'),
    'scenario: does not say what the user says first',
    'the goal of a simulated user, who opens with it',
    hint,
  );
  const user = { opening: wordOf(scenario), goal: wordOf(scenario) };
  return { user: typeof persona === 'string' && persona !== '' ? { ...user, persona } : user };
}

const userTurn = (turn: Json): readonly string[] =>
  isObject(turn) && turn.role === 'user' && typeof turn.content === 'string' ? [turn.content] : [];

/** Tools that the agent is to call, in any order, whatever their inputs. */
export function deepevalTools(document: SourceDocument): readonly PlacedExpectation[] {
  const { expected_tools: tools } = document.value as JsonObject;
  const names = namesOf(tools);
  if (names.length === 0) return [];
  const at = inside(placeIn(document), 'expected_tools');
  return [{ at, entry: { 'tool-sequence': names.map(toolIdOf), order: 'any-order' } }];
}

/** The calls that a recorded answer made. */
export const deepevalCalls = (document: SourceDocument): readonly JsonObject[] =>
  namesOf((document.value as JsonObject).tools_called).map((name) => ({ toolId: toolIdOf(name) }));

/** Names of tools: texts, objects with a name, or a text of a table that lists them. */
function namesOf(tools: Json | undefined): readonly string[] {
  if (typeof tools === 'string') return tools.split(/\s*[,;]\s*/).filter((name) => name !== '');
  if (!Array.isArray(tools)) return [];
  return (tools as readonly Json[]).flatMap((tool) =>
    typeof tool === 'string' ? [tool] : isObject(tool) && typeof tool.name === 'string' ? [tool.name] : [],
  );
}
