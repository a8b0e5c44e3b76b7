import { prepareModuleThread } from '../threads/index.js';

const MODULE_FILE = /\.[cm]?[jt]s(?::[^:/\\]+)?$/;
const SUITE_FILE = /\.(?:eval|evals|suite)\.(?:json|ya?ml)$/i;
/** With one of these, no agent of this process answers. */
const ELSEWHERE = /^--(?:host|answers|dry-run|help)(?:=|$)/;
const AGENT = '--agent';

/** Starts the thread of a module agent before the code of `run` is loaded: both take about as long. `argv` is what follows the verb. */
export function prepareEarly(argv: readonly string[]): void {
  if (isForModule(argv)) prepareModuleThread();
}

/**
 * Whether the arguments alone tell that the agent may be a module: most agents of a suite that names none are. They have not been
 * parsed yet. A thread that was started in vain is not waited for.
 */
export function isForModule(argv: readonly string[]): boolean {
  if (argv.some((argument) => ELSEWHERE.test(argument))) return false;
  const agents = argv.flatMap((argument, at) =>
    argument.startsWith(`${AGENT}=`)
      ? argument.slice(AGENT.length + 1)
      : argument === AGENT
        ? (argv[at + 1] ?? '')
        : [],
  );
  return agents.length > 0 ? agents.some(isModule) : argv.some((argument) => SUITE_FILE.test(argument));
}

const isModule = (agent: string): boolean => MODULE_FILE.test(agent) && !/^https?:/i.test(agent);
