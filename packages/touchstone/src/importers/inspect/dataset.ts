import { isObject, type Json, type JsonObject, parseJson } from '@touchstone/protocol';
import { expectFor, rowExpectation } from '../../suites/index.js';
import type { ImportedTest, ItemCollector } from '../imported.js';
import { itemsOf, member, type Node, text, wordOf } from '../nodes.js';
import { questionOf } from './choices.js';
import { reportLost, textsOf } from './log.js';
import { messagesOf } from './messages.js';
import { readScorer, type Scorer } from './scorers.js';

/** A row of a dataset. Which scorer it is for stands in code, so the command line names it. */
export function rowTest(row: Node, scorer: string | undefined, items: ItemCollector): ImportedTest {
  reportLost(row, items);
  const target = member(row, 'target');
  const id = member(row, 'id').value;
  const expect = entriesOf(target, scorer && { name: scorer, params: {}, at: target.at }, items);
  return {
    at: row.at,
    ...(id !== undefined && id !== '' && { id: wordOf(id) }),
    input: inputOf(row, items),
    expect: expect.map((entry) => ({ at: target.at, entry })),
    lost: expect.length === 0 && target.value !== undefined ? 1 : 0,
  };
}

/** Without a scorer the shape of the target decides, as for other rows. */
function entriesOf(target: Node, scorer: Scorer | '' | undefined, items: ItemCollector) {
  if (target.value === undefined || target.value === '') return [];
  if (!scorer) return rowExpectation(target.value, expectFor(target.value));
  const entry = readScorer(scorer, { targets: textsOf(target), at: target.at }, items);
  return entry === undefined ? [] : [entry];
}

function inputOf(row: Node, items: ItemCollector): Json {
  const input = member(row, 'input');
  const asked: Json = Array.isArray(input.value)
    ? { messages: messagesOf(input, {}, items) }
    : (input.value ?? '');
  const choices = choicesOf(member(row, 'choices'));
  return choices.length === 0 ? asked : questionOf(asked, choices);
}

/** A cell of a table holds a list as JSON, or with commas. */
function choicesOf(node: Node): readonly string[] {
  const cell = text(node);
  if (cell === undefined) return itemsOf(node).map((choice) => text(choice) ?? '');
  const list = parseJson(cell);
  if (Array.isArray(list)) return list.map(String);
  return cell === '' ? [] : cell.split(',').map((choice) => choice.trim());
}

export const isDatasetRow = (value: Json | undefined): value is JsonObject =>
  isObject(value) && Object.hasOwn(value, 'input') && Object.hasOwn(value, 'target');
