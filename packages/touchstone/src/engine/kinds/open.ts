import type { Run } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import { openAgentProgram } from './agent.js';
import { openEvalProgram } from './eval.js';
import { openRejudgeProgram } from './rejudge.js';
import type { Program } from './run-kind.js';
import { openWorkflowProgram } from './workflow.js';

/** The program for a run's plan. Rejects when the agent or the suite it was planned with is gone. */
export async function openProgram(parts: Parts, run: Run): Promise<Program> {
  switch (run.plan.kind) {
    case 'eval': {
      const { rejudgeOf } = run.plan;
      if (rejudgeOf !== undefined) return openRejudgeProgram(parts, run, { ...run.plan, rejudgeOf });
      return openEvalProgram(parts, run, run.plan);
    }
    case 'agent':
      return openAgentProgram(parts, run, run.plan);
    case 'workflow':
      return openWorkflowProgram(parts, run, run.plan);
    case 'deployment':
      throw new Error('A deployment is a script, and no program.');
  }
}
