import type { Run } from '../../ports/index.js';
import type { SpendMeter } from '../invoke/spend-meter.js';
import type { Parts } from '../parts.js';
import { agentRun, openAgentExecutor } from './agent.js';
import { openEvalExecutor } from './eval-executor.js';
import { openEvalRun } from './eval-run.js';
import { openRejudgeExecutor } from './rejudge-executor.js';
import type { Executor, RunKind } from './run-kind.js';
import type { TaskSource } from './task-source.js';
import { openWorkflowExecutor, workflowRun } from './workflow.js';

// Kind and executor of a run are opened apart, so that a process can drive without executing and execute without driving.
// A driver that does both shares the tasks it has read.

/** The kind of a run. Rejects when the suite it was planned with is gone. */
export async function openRunKind(parts: Parts, run: Run, taskAt: TaskSource): Promise<RunKind> {
  const { plan } = run;
  switch (plan.kind) {
    case 'eval':
      return openEvalRun(parts, run, plan, taskAt);
    case 'agent':
      return agentRun(parts, run, plan);
    case 'workflow':
      return workflowRun(parts, run, plan);
    case 'deployment':
      throw notDriven();
  }
}

/** What executes the units of a run. Rejects when the agent it was planned with is gone or has changed. */
export async function openExecutor(
  parts: Parts,
  run: Run,
  meter: SpendMeter,
  taskAt: TaskSource,
): Promise<Executor> {
  const { plan } = run;
  switch (plan.kind) {
    case 'eval': {
      const { rejudgeOf } = plan;
      return rejudgeOf === undefined
        ? openEvalExecutor(parts, run, plan, meter, taskAt)
        : openRejudgeExecutor(parts, run, { ...plan, rejudgeOf }, meter, taskAt);
    }
    case 'agent':
      return openAgentExecutor(parts, run, plan, meter);
    case 'workflow':
      return openWorkflowExecutor(parts, run, plan);
    case 'deployment':
      throw notDriven();
  }
}

const notDriven = (): Error => new Error('A deployment is an approval flow and has no steps to execute.');
