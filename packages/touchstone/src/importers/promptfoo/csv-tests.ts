import { defined, type Json, type JsonObject } from '@touchstone/protocol';
import { textsOf } from './assertion.js';
import { PLAIN_CHECKS } from './checks.js';
import { JUDGED_CHECKS } from './judged.js';
import { TRAJECTORY_CHECKS } from './trajectory.js';

/** A row of a table as a test, with the names of columns that promptfoo gives a meaning. */
export function testOfRow(row: JsonObject): JsonObject {
  const vars: { [name: string]: Json } = {};
  const assert: { readonly column: string; readonly entry: JsonObject }[] = [];
  const metadata: { [name: string]: Json } = {};
  const known: { [name: string]: Json } = {};
  for (const [column, cell] of Object.entries(row)) {
    const text = String(cell);
    if (column.startsWith('__expected')) {
      if (text.trim() !== '') assert.push({ column, entry: assertionOf(text.trim()) });
    } else if (column.startsWith('__metadata:')) {
      if (text.trim() !== '') metadata[column.slice('__metadata:'.length)] = text;
    } else if (column.startsWith('__')) known[column.slice('__'.length)] = text;
    else vars[column] = text;
  }
  const { description, threshold, providerOutput, metric, prefix, suffix } = known;
  const withMetric = assert.map(({ entry }) => (metric ? { ...entry, metric } : entry));
  return defined({
    vars,
    assert: withMetric,
    metadata,
    description: description === '' ? undefined : description,
    threshold: threshold === undefined || threshold === '' ? undefined : Number(threshold),
    providerOutput,
    options: prefix || suffix ? defined({ prefix, suffix }) : undefined,
  }) as JsonObject;
}

const TYPES = [
  ...[PLAIN_CHECKS, JUDGED_CHECKS, TRAJECTORY_CHECKS].flatMap((table) => Object.keys(table)),
  ...[
    'is-sql',
    'is-html',
    'bleu',
    'gleu',
    'meteor',
    'perplexity',
    'classifier',
    'moderation',
    'webhook',
    'ruby',
  ],
].sort((a, b) => b.length - a.length);
const TYPED = new RegExp(`^(not-)?(${TYPES.join('|')})(?:\\((\\d+(?:\\.\\d+)?)\\))?(?::([\\s\\S]*))?$`);
const LISTS = /contains-(?:any|all)$/;
/** Types whose bare form has this threshold in a table. */
const THRESHOLD: { readonly [type: string]: number } = {
  similar: 0.8,
  ...Object.fromEntries(
    'answer-relevance context-faithfulness context-recall context-relevance cost latency levenshtein rouge-n starts-with'
      .split(' ')
      .map((type) => [type, 0.75]),
  ),
};

/** `contains: x`, `similar(0.8): y`, `javascript: z`; any other text is an equal answer. */
function assertionOf(text: string): JsonObject {
  const [, language, code] = /^(javascript|fn|eval|python):([\s\S]*)$/.exec(text) ?? [];
  if (code !== undefined)
    return { type: language === 'python' ? 'python' : 'javascript', value: code.trim() };
  if (/^file:\/\/.*\.py(?::\w+)?$/.test(text)) return { type: 'python', value: text };
  if (/^file:\/\/.*\.[cm]?[jt]s(?::\w+)?$/.test(text)) return { type: 'javascript', value: text };
  const graded = /^(?:grade|llm-rubric):([\s\S]*)$/.exec(text)?.[1];
  if (graded !== undefined) return { type: 'llm-rubric', value: graded };
  const [, not = '', type, threshold, value] = TYPED.exec(text) ?? [];
  if (type === undefined) return { type: 'equals', value: text };
  const bar = threshold === undefined ? THRESHOLD[type] : Number(threshold);
  return defined({
    type: `${not}${type}`,
    value: LISTS.test(type) ? textsOf(value) : value?.trim(),
    threshold: type in THRESHOLD ? bar : undefined,
  }) as JsonObject;
}
