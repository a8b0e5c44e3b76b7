import { prepareModuleThread } from '../threads/index.js';

type RunOptions = {
  readonly host?: string;
  readonly agent?: readonly string[];
  readonly answers?: string;
  readonly dryRun?: boolean;
};

const MODULE_FILE = /\.[cm]?[jt]s(?::[\p{L}_$][\p{L}\p{N}_$]*)?$/u;
const SUITE_FILE = /\.(?:eval|evals|suite)\.(?:json|ya?ml)$/i;

/** Starts the thread of a module agent while the code of `run` is loaded, which takes as long. */
export function prepareEarly(suite: string | undefined, options: RunOptions): void {
  if (isForModule(suite, options)) prepareModuleThread();
}

/** Whether the arguments alone tell that the agent may be a module: most agents of a suite that names none are. */
export function isForModule(suite = '', { host, agent, answers, dryRun }: RunOptions = {}): boolean {
  if (host !== undefined || answers !== undefined || dryRun) return false;
  return agent === undefined ? SUITE_FILE.test(suite) : agent.some(isModule);
}

const isModule = (agent: string): boolean => MODULE_FILE.test(agent) && !/^https?:/i.test(agent);
