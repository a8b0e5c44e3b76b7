import { canonicalJson, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside, objectsIn, placeIn, unreadable } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  ImportRequest,
  ItemCollector,
  RecordedAnswer,
  SourceDocument,
  SourcePointer,
} from '../imported.js';
import { wordOf } from '../nodes.js';
import { convertCriterion } from './criteria.js';
import { createGraders, type Graders } from './graders.js';

/** A row of a run: what was asked, answered and graded. */
type Row = {
  readonly document: SourceDocument;
  readonly index: string;
  readonly item: Json;
  readonly sample: JsonObject;
  readonly grades: readonly string[];
};

/** Rows of several runs about the same item are one task. */
export function hostedDraft(
  documents: readonly SourceDocument[],
  evaluation: SourceDocument | undefined,
  request: ImportRequest,
): ImportDraft {
  const rows = documents.map(rowOf);
  const criteria = criteriaOf(evaluation, documents[0]?.file ?? '', request.items);
  const graders = createGraders();
  const byItem = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.index} ${canonicalJson(row.item)}`;
    byItem.set(key, [...(byItem.get(key) ?? []), row]);
  }
  const tests = [...byItem.values()].map((same) => testOf(same, criteria, graders, request));
  const lines = rows.flatMap(({ index, grades }) =>
    grades.map((grade) => `data_source_idx ${index}: ${grade}`),
  );
  const scorers = graders.entries();
  return {
    tests,
    suite: { thresholds: { passScore: 1 } },
    files: graders.files(),
    ...(Object.keys(scorers).length > 0 && { config: { scorers } }),
    details: lines.length > 0 ? [{ heading: 'Grades of the source', lines }] : [],
  };
}

type Criterion = { readonly at: SourcePointer; readonly value: JsonObject };

function criteriaOf(
  evaluation: SourceDocument | undefined,
  file: string,
  items: ItemCollector,
): readonly Criterion[] {
  const value = isObject(evaluation?.value) ? evaluation.value : {};
  const { testing_criteria: criteria } = value;
  if (!evaluation || !Array.isArray(criteria) || criteria.length === 0)
    throw unreadable(file, 'Expected the testing criteria. Name the eval object with --eval eval.json.');
  const at = inside(placeIn(evaluation), 'testing_criteria');
  return (criteria as readonly Json[]).flatMap((one, index) => {
    if (isObject(one)) return [{ at: inside(at, index), value: one }];
    items.lost(inside(at, index), 'criterion that is no object');
    return [];
  });
}

/** The export does not say which members the model was shown. One that a criterion compares with would tell the agent what is right. */
function noteShown(item: Json, { at, value }: Criterion, items: ItemCollector): void {
  const text = typeof value.reference === 'string' ? value.reference : '';
  for (const [, name = ''] of text.matchAll(/\{\{\s*item\.(\w+)/g))
    if (isObject(item) && Object.hasOwn(item, name))
      items.note(
        inside(at, 'reference'),
        'member of the item that the answer is compared with: it is in the input, where an agent sees it',
        'Take it out of the inputs before you run an agent.',
      );
}

function rowOf(document: SourceDocument): Row {
  const value = document.value as JsonObject;
  const { data_source_idx, datasource_item_id, item = value.datasource_item ?? {}, sample } = value;
  return {
    document,
    index: wordOf(data_source_idx ?? datasource_item_id ?? 0),
    item,
    sample: isObject(sample) ? sample : {},
    grades: gradesOf(value),
  };
}

/** Names of criteria with their numbers, as the source has them. */
function gradesOf({ grades, passes, results }: JsonObject): readonly string[] {
  if (Array.isArray(results))
    return objectsIn(results).map(({ name, score, passed }) => gradeOf(name, score, passed));
  const verdicts = isObject(passes) ? passes : {};
  return isObject(grades)
    ? Object.entries(grades).map(([name, score]) => gradeOf(name, score, verdicts[name]))
    : [];
}

function gradeOf(name: Json | undefined, score: Json | undefined, passed: Json | undefined): string {
  const verdict = typeof passed === 'boolean' ? (passed ? ', passed' : ', failed') : '';
  return `${wordOf(name)} ${typeof score === 'number' ? score : 'without a number'}${verdict}`;
}

function testOf(
  [first, ...more]: readonly Row[],
  criteria: readonly Criterion[],
  graders: Graders,
  request: ImportRequest,
): ImportedTest {
  const { document, item, sample } = first as Row;
  const { items } = request;
  for (const row of more)
    items.note(placeIn(row.document), 'answer of a further run of the same item: not carried over');
  for (const criterion of criteria) noteShown(item, criterion, items);
  const outcomes = criteria.map(({ at, value }) => ({
    at,
    outcome: convertCriterion(value, { at, item, items, graders }),
  }));
  const expect = outcomes.flatMap(({ at, outcome }) => (outcome ? [{ at, entry: outcome }] : []));
  const answer = answerOf(sample, placeIn(document), items);
  return {
    at: placeIn(document),
    input: item,
    expect,
    lost: outcomes.length - expect.length,
    ...(answer && { answer }),
  };
}

function answerOf(
  sample: JsonObject,
  at: SourcePointer,
  items: ImportRequest['items'],
): RecordedAnswer | undefined {
  const said = sample.outputs ?? sample.output;
  const messages = objectsIn(said);
  const last = messages.findLast(({ role }) => role === undefined || role === 'assistant');
  if (typeof last?.content === 'string') return { output: last.content };
  if (Object.keys(sample).length > 0) items.note(inside(at, 'sample'), 'sample without an answer');
  return undefined;
}
