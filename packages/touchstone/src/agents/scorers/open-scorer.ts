import { asId, type Digest, type InvocationId, type RunId } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { Agent, AgentFacts, AgentHost, Clock, Invocation, ScorerAnswer } from '../../ports/index.js';
import { type Environment, fillIn } from '../environment/fill-in.js';
import { handOver } from '../environment/hand-over.js';
import { createFunctionAgent } from '../kinds/function/function.js';
import { createLinesAgent } from '../kinds/lines/lines.js';
import { createModuleAgent } from '../kinds/module/module.js';
import type { ModuleAgent } from '../kinds/module/module-context.js';
import { readAgentFiles } from '../spec/digest.js';
import type { FunctionRun } from '../spec/run-spec.js';
import { createCommandScorer } from './command-scorer.js';
import type { ScorerSpec } from './scorer-spec.js';

type ScorerParts = {
  readonly baseDir: string;
  readonly clock: Clock;
  /** Of the files that the run was planned with. */
  readonly digest: Digest;
  /** Of a module whose entry does not say how much it may use; without a limit it lives in a thread. */
  readonly memoryMb?: number;
  /** What `${NAME}` in its entry stands for. */
  readonly env: Environment;
  /** Functions of this program by the names they were handed over with. */
  readonly functions: ReadonlyMap<string, ModuleAgent>;
};

/** A scorer that can be asked. */
export type OpenScorer = {
  ask(document: Body, signal: AbortSignal): Promise<ScorerAnswer>;
  close(): Promise<void>;
};

const MOST_BYTES = 1024 * 1024;

/**
 * Makes a scorer ready. It is isolated as an agent of its kind is, because it is one: its input is the document, and it
 * has no tools. Rejects when its files are not those that the run was planned with.
 */
export async function openScorer(spec: ScorerSpec, parts: ScorerParts): Promise<OpenScorer> {
  const { run: written, files: listed } = spec;
  const run = handOver(fillIn(written, parts.env).value, parts.env);
  const more = listed && { files: listed };
  const files = await readAgentFiles({ run, ...more }, parts.baseDir, { run: written, ...more });
  if (files.digest !== parts.digest) throw new Error('Its files have changed since the run was planned.');
  const agent = openProgram(run, {
    ...parts,
    facts: factsOf(spec, parts),
    maxOutputBytes: MOST_BYTES,
    files,
  });
  return { ask: (document, signal) => askAgent(agent, document, signal), close: () => agent.close() };
}

type OpenParts = Parameters<typeof createModuleAgent>[1] & Pick<ScorerParts, 'functions'>;

function openProgram(run: ScorerSpec['run'], parts: OpenParts): Agent {
  if (run.kind === 'function') return createFunctionAgent(functionOf(run, parts), run, parts);
  if (run.kind === 'command') return createCommandScorer(run, parts);
  if (run.kind === 'module') return createModuleAgent(run, parts);
  return createLinesAgent({ ...run, export: run.export ?? 'score' }, parts);
}

/** A run that another process takes up has no function to ask any more. */
function functionOf({ name }: FunctionRun, { functions }: Pick<ScorerParts, 'functions'>): ModuleAgent {
  const found = functions.get(name);
  if (found) return found;
  throw new Error('It is a function of a program that has ended.');
}

const factsOf = ({ name, run }: ScorerSpec, { digest }: ScorerParts): AgentFacts => ({
  agentId: asId(`local.scorer.${name}`),
  version: asId('1.0.0'),
  digest,
  kind: run.kind,
  persona: name,
  toolAllowlist: [],
});

async function askAgent(agent: Agent, document: Body, signal: AbortSignal): Promise<ScorerAnswer> {
  try {
    const answer = await agent.invoke(invocationOf(agent, document), hostOf(signal));
    return 'output' in answer
      ? { kind: 'given', value: answer.output }
      : { kind: 'failed', reason: answer.reason };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', reason: error instanceof Error ? error.message : 'It could not be asked.' };
  }
}

const invocationOf = ({ facts }: Agent, input: Body): Invocation => ({
  runId: asId<RunId>('scorer'),
  invocationId: asId<InvocationId>('scorer'),
  agentId: facts.agentId,
  repeat: 0,
  input,
  memory: [],
  tools: [],
});

const hostOf = (signal: AbortSignal): AgentHost => ({
  signal,
  callTool: async () => ({ status: 'forbidden', error: 'A scorer has no tools.' }),
  spend: async () => undefined,
  reason: () => undefined,
  observe: () => undefined,
});
