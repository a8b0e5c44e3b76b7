import { resolve } from 'node:path';
import type { TaskId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type { Agent, AgentFacts, AgentHost, Answer } from '../../../ports/index.js';
import type { RecordedRun } from '../../spec/run-spec.js';
import { type RecordedAnswer, readAnswers } from './answers-file.js';

/** Answers that were given elsewhere, by the tasks they answer. Nothing is run. */
export function createRecordedAgent(
  run: RecordedRun,
  { facts, baseDir }: { readonly facts: AgentFacts; readonly baseDir: string },
): Agent {
  const answers = readAnswers(resolve(baseDir, run.path));
  const agent: Agent = {
    facts,
    forTask: (taskId) => ({ ...agent, invoke: (_, host) => replay(answers.get(taskId), taskId, host) }),
    invoke: async () => NO_TASK,
    close: async () => undefined,
  };
  return agent;
}

const NO_TASK: Answer = {
  kind: 'absent',
  reason: 'Recorded answers are found by their task, and there is none.',
};

async function replay(answer: RecordedAnswer | undefined, taskId: TaskId, host: AgentHost): Promise<Answer> {
  if (!answer) return { kind: 'absent', reason: `The file of answers has none for task ${taskId}.` };
  const { output = null, refused, usage, toolCalls, latencyMs } = answer;
  if (usage.length > 0) await host.spend(usage);
  return {
    kind: refused ? 'refused' : 'answered',
    output: toBody(output),
    observed: toolCalls,
    measured: latencyMs === undefined ? {} : { latencyMs },
  };
}
