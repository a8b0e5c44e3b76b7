import { readFileSync } from 'node:fs';
import { type Issue, parseJson, type TaskId, type ToolId, validationError } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import {
  type AnyObject,
  amount,
  choice,
  closed,
  flag,
  id,
  issueAt,
  json,
  list,
  ruled,
  schemaIssues,
  type Wire,
} from '@touchstone/protocol/schema';
import type { ScoredCall, Usage } from '../../../ports/index.js';
import { usageOf, usageShape } from '../../spec/members.js';

const rowShape = ruled(
  closed(
    { taskId: id<TaskId>(undefined, { minLength: 1 }) },
    {
      output: json(),
      toolCalls: list(
        closed(
          { toolId: id<ToolId>(undefined, { minLength: 1 }) },
          { inputs: json(), status: choice(['ok', 'error', 'forbidden']), outcome: json() },
        ),
      ),
      latencyMs: amount(),
      usage: list(usageShape),
      refused: flag(),
    },
  ),
  ({ output, refused }: AnyObject) =>
    issueAt('/output', output === undefined && refused !== true && 'expected an output, or refused: true'),
);

/** An answer that was given elsewhere, and what is known of how. */
export type RecordedAnswer = Pick<Wire<typeof rowShape>, 'taskId' | 'output' | 'refused' | 'latencyMs'> & {
  readonly line: number;
  readonly toolCalls: readonly ScoredCall[];
  readonly usage: readonly Usage[];
};

/** Reads a file with one answer a line. Everything that is wrong with it is told at once, by its line. */
export function readAnswers(file: string): ReadonlyMap<TaskId, RecordedAnswer> {
  const answers = new Map<TaskId, RecordedAnswer>();
  const issues: Issue[] = [];
  for (const [at, text] of readLines(file).entries()) {
    if (text.trim() === '') continue;
    const line = at + 1;
    const row = parseJson(text);
    const found =
      row === undefined ? [{ pointer: '', message: 'expected a JSON object' }] : schemaIssues(rowShape, row);
    issues.push(...found.map((issue) => ({ ...issue, line })));
    if (found.length > 0) continue;
    const answer = answerOf(row as Wire<typeof rowShape>, line);
    const earlier = answers.get(answer.taskId);
    if (earlier)
      issues.push({ pointer: '/taskId', message: `line ${earlier.line} answers this task already`, line });
    answers.set(answer.taskId, answer);
  }
  if (issues.length > 0) throw validationError(issues, { file });
  return answers;
}

function readLines(file: string): readonly string[] {
  try {
    // Some programs write a mark of the byte order first, which no JSON may hold.
    return readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .split('\n');
  } catch {
    const message = 'The file of answers cannot be read. Check its path.';
    throw validationError([{ pointer: '', message }], { file });
  }
}

function answerOf(
  { toolCalls = [], usage = [], ...row }: Wire<typeof rowShape>,
  line: number,
): RecordedAnswer {
  return {
    ...row,
    line,
    usage: usage.map(usageOf),
    toolCalls: toolCalls.map(({ toolId, inputs = null, status = 'ok', outcome }) => ({
      toolId,
      inputs: toBody(inputs),
      status,
      ...(outcome !== undefined && { outcome: toBody(outcome) }),
    })),
  };
}
