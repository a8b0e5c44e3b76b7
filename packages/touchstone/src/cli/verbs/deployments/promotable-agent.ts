import { defined } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import type { Config } from '../../../app/index.js';
import type { SuiteSource } from '../../files/suite-source.js';
import { UsageError } from '../../io.js';
import { originOf } from '../../origin.js';
import { isConfigured, readAgentArgument } from '../run/agent-choice.js';
import type { RunOptions } from '../run/run-options.js';

/** Who is to be promoted: as it was named, or as a definition describes it. */
type Candidate = {
  /** What `--agent` says. */
  readonly argument?: string;
  /** `agentId@version` of the agent that a definition describes, when it plays itself. */
  readonly described?: string;
};

/** An agent that only one command knows could be put into service, and then nothing could ever ask it. */
export function checkPromotable(config: Config, { argument, described }: Candidate, cwd: string): void {
  if (described !== undefined) throw known(`${described} is played by its definition here`);
  if (argument === undefined || isConfigured(config, readAgentArgument(argument, cwd))) return;
  throw known(`--agent ${argument} is known to this command only`);
}

/** Of a run that is to begin. */
export function candidateOf(source: SuiteSource | undefined, { agent }: RunOptions): Candidate {
  if (source?.kind === 'packed') return {};
  const described = source?.kind === 'profile' ? source.agent : undefined;
  return defined({ argument: agent, described });
}

/** Of a run that goes on, which remembers what it was started from. */
export function resumedCandidate(run: EvalRunSnapshot, { agent }: RunOptions): Candidate {
  const origin = originOf(run);
  const argument = agent ?? origin.agent;
  if (argument !== undefined) return { argument };
  const { agentId, version } = run.touchstone.agent;
  return origin.definition === undefined ? {} : { described: `${agentId}@${version}` };
}

const known = (fact: string): UsageError =>
  new UsageError(
    `${fact}, so it could be promoted and never serve.`,
    'Put the agent into "agents" of the configuration, or into a pack that is installed, and name it: --agent <agentId>@<version>',
  );
