import { isObject, ownMember, typeName } from '@touchstone/protocol';

const HOW_TO_WRITE = 'A scorecard file is written by: touchstone export <runId>';

/** What people give instead of a scorecard file, recognised by members that only this kind of document has. */
const LOOKALIKES: readonly (readonly [members: readonly string[], what: string])[] = [
  [['_type', 'predicateType'], 'an in-toto statement without its envelope.'],
  [['aggregateScore', 'tasks'], 'an eval summary, which does not say what exactly was evaluated.'],
  [['aggregate', 'verdict'], 'the report of a run, which leaves out the single results.'],
  [['results', 'summary', 'log'], 'a scorecard without its envelope.'],
  [['runId', 'exitCode', 'summary'], 'the output of --json, which leaves out how the results came about.'],
];

/** Names a document that is no envelope, and says what to do. Nothing of the document itself is repeated. */
export function describeFile(value: unknown): string {
  if (!isObject(value)) return `${typeName(value)}. ${HOW_TO_WRITE}`;
  const known = LOOKALIKES.find(([names]) => names.every((name) => ownMember(value, name) !== undefined));
  return `${known?.[1] ?? 'another JSON document.'} ${HOW_TO_WRITE}`;
}
