import {
  asId,
  canonicalJson,
  type Issue,
  isObject,
  type Json,
  type JsonObject,
  type TaskId,
  validationError,
} from '@touchstone/protocol';
import { isJudged, parseCriterion, type Task, toBody } from '@touchstone/protocol/bodies';
import { checkBounded } from '../../agents/index.js';
import { taskIssues } from '../runs/task-criteria.js';

/** One line of a file of labels: what a person said of one answer and one criterion. */
export type Label = {
  readonly line: number;
  readonly id?: string;
  readonly input: Json;
  readonly output: Json;
  readonly criterion: string;
  readonly met: boolean;
  /** Who gave it. */
  readonly by?: string;
  /** When it was given, in milliseconds since 1970. */
  readonly at?: number;
  /** The person had seen what the judge said. */
  readonly seen?: true;
};

const MEMBERS = ['id', 'input', 'output', 'criterion', 'met', 'by', 'at', 'seen'];
/** Checks of what an agent did, or by what only a run has. A label holds a question and an answer. */
const NEED_A_RUN = /"(tool-[a-z-]+|latency|cost|tokens|turns|scorer|similar|calls|memory)"/;

/**
 * Reads JSON Lines. Refuses with everything that is wrong, by file and line, and never by what stands there; patterns and
 * schemas that cannot be used are found here, before a judge is asked anything.
 */
export async function readLabels(text: string, file: string): Promise<readonly Label[]> {
  const issues: Issue[] = [];
  const labels: Label[] = [];
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n/)
    .forEach((source, at) => {
      if (source.trim() === '') return;
      const read = readLabel(source, at + 1);
      if (Array.isArray(read)) issues.push(...read);
      else labels.push(read as Label);
    });
  if (issues.length === 0) issues.push(...(await Promise.all(labels.map(checkIssues))).flat());
  if (issues.length > 0) throw validationError(issues, { file });
  return labels;
}

const checkIssues = async ({ line, criterion }: Label): Promise<readonly Issue[]> => {
  const expected = { kind: 'rubric', rubric: [{ criterion: toBody(criterion), weight: 1 }] } as const;
  const task: Task = { taskId: asId<TaskId>('label'), input: toBody(null), expected };
  const issues = await taskIssues(task, checkBounded);
  return issues.map(({ message }) => ({ pointer: '/criterion', message, line }));
};

function readLabel(source: string, line: number): Label | readonly Issue[] {
  const value = parsed(source);
  if (!isObject(value)) return [{ pointer: '', line, message: 'Expected one JSON object on this line.' }];
  const issues = labelIssues(value as JsonObject).map((issue) => ({ ...issue, line }));
  if (issues.length > 0) return issues;
  const { id, input = null, output, criterion, met, by, at, seen } = value as JsonObject;
  return {
    line,
    ...(id !== undefined && { id: String(id) }),
    input,
    output: output as Json,
    criterion: String(criterion),
    met: met === true,
    ...(by !== undefined && { by: String(by) }),
    ...(at !== undefined && { at: Date.parse(String(at)) }),
    ...(seen === true && { seen }),
  };
}

function labelIssues(value: JsonObject): readonly Issue[] {
  const hasUnknown = Object.keys(value).some((member) => !MEMBERS.includes(member));
  return [
    ...(hasUnknown ? [{ pointer: '', message: `A label has ${MEMBERS.join(', ')} and nothing else.` }] : []),
    ...('output' in value ? [] : [{ pointer: '/output', message: 'Expected the answer that was judged.' }]),
    ...(typeof value.met === 'boolean' ? [] : [{ pointer: '/met', message: 'Expected true or false.' }]),
    ...['id', 'by'].flatMap((member) =>
      value[member] === undefined || (typeof value[member] === 'string' && value[member] !== '')
        ? []
        : [{ pointer: `/${member}`, message: 'Expected a string that is not empty.' }],
    ),
    ...(value.at === undefined || isTime(value.at)
      ? []
      : [{ pointer: '/at', message: 'Expected a time such as 2026-11-17T09:30:00Z.' }]),
    ...(value.seen === undefined || typeof value.seen === 'boolean'
      ? []
      : [{ pointer: '/seen', message: 'Expected true or false.' }]),
    ...criterionIssues(value.criterion),
  ];
}

const isTime = (value: Json): boolean =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) && Number.isFinite(Date.parse(value));

/** Whether a label can be about it: prose, or a check of question and answer alone. */
export const isLabelCriterion = (criterion: string): boolean => criterionIssues(criterion).length === 0;

function criterionIssues(criterion: Json | undefined): readonly Issue[] {
  const pointer = '/criterion';
  if (typeof criterion !== 'string' || criterion.trim() === '')
    return [{ pointer, message: 'Expected a sentence.' }];
  const read = parseCriterion(criterion);
  if (read.kind === 'malformed') return [{ pointer, message: read.message }];
  if (read.kind === 'prose') return [];
  const { of, sees } = read.args;
  const [, needed] = NEED_A_RUN.exec(JSON.stringify([read.name, of, sees])) ?? [];
  if (needed === undefined) return [];
  return [{ pointer, message: `Check ${read.name} is about the calls of a run, and a label has none.` }];
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Labels of one answer whose criteria are decided in the same way, so that one question asks for all of them. */
export type LabelGroup = {
  readonly by: 'judge' | 'check';
  readonly input: Json;
  readonly output: Json;
  /** Each once, however many labels it has: several people may have looked at the same answer. */
  readonly criteria: readonly string[];
  readonly labels: readonly Label[];
};

/** Checks are kept apart: they are decided although the judge may not be. */
export function groupLabels(labels: readonly Label[]): readonly LabelGroup[] {
  const groups = new Map<string, Label[]>();
  for (const label of labels) {
    const key = `${decidedBy(label)} ${canonicalJson([label.input, label.output])}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(label);
  }
  return [...groups.values()].map((group) => {
    const { input, output } = group[0] as Label;
    const criteria = [...new Set(group.map(({ criterion }) => criterion))];
    return { by: decidedBy(group[0] as Label), input, output, criteria, labels: group };
  });
}

const decidedBy = ({ criterion }: Label): LabelGroup['by'] =>
  isJudged(parseCriterion(criterion)) ? 'judge' : 'check';
