import { LOCAL_OWNER, type Local, withTouchstone } from '../local.js';
import { openTestCli, type TestCli } from './test-cli.js';

export const AGENT = 'local.acme.support';
export const SUITE = 'local.acme.evals.refunds';
/** Everything on its way to active has to be proven. */
export const PROVEN = { agentId: '*', to: 'active', requiredEval: { suite: SUITE } };
/** The same, and someone has to agree. */
export const AGREED = { ...PROVEN, approval: { requiredRole: 'approver' } };

export type DeployCli = TestCli & {
  /** What is asked before something becomes active; nothing unless it is said. */
  configure(more?: object): void;
  runSuite(version: string): Promise<string>;
  json(...argv: string[]): Promise<{ readonly code: number; readonly document: Document }>;
  /** The types of all events of all runs that move deployments. */
  moves(): Promise<readonly string[]>;
};
export type Document = { readonly [member: string]: unknown } & {
  readonly steps: readonly { readonly toState: string; readonly runId: string; readonly outcome: string }[];
};

const task = (taskId: string): object => ({
  taskId,
  input: { say: taskId },
  expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
});

/** A project with two versions of one agent, a suite that both pass, and gates that a test chooses. */
export function openDeployCli(options?: Parameters<typeof openTestCli>[0]): DeployCli {
  const desk = openTestCli(options);
  const { write } = desk;
  const run = { kind: 'module', path: 'agent.mjs' };
  const agents = ['1.0.0', '1.1.0'].map((version) => ({ agentId: AGENT, version, run }));
  const roles = { approver: ['approvals:respond', 'runs:read'] };
  const configure = (more: object = {}): void =>
    write('touchstone.config.json', { agents, roles, suites: ['./evals'], ...more });
  configure();
  write('agent.mjs', 'export default ({ say }) => say;');
  const suite = { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks: [task('late'), task('early')] };
  write('evals/refunds.suite.json', suite);
  const context = { io: desk.io, settings: { data: '.touchstone', json: false, color: false } };
  return {
    ...desk,
    configure,
    async runSuite(version) {
      const { out } = await desk.run('run', SUITE, '--agent', `${AGENT}@${version}`, '--json');
      return JSON.parse(out).runId;
    },
    async json(...argv) {
      const { code, out } = await desk.run(...argv, '--json');
      return { code, document: JSON.parse(out) };
    },
    moves: () => withTouchstone(context, 'store', movesIn),
  };
}

async function movesIn({ touchstone: { store } }: Local): Promise<readonly string[]> {
  const { items } = await store.runs.list(LOCAL_OWNER, { limit: 100 });
  const runs = items.filter(({ plan }) => plan.kind === 'deployment').reverse();
  const logs = await Promise.all(runs.map(({ runId }) => store.log.read(LOCAL_OWNER, runId, -1, 100)));
  return logs.flatMap((log) => log.map(({ type }) => type)).filter((type) => type.startsWith('deployment.'));
}

/** Ids and times differ from run to run. */
export const steady = (text: string): string =>
  text
    .replaceAll(/run-[0-9a-z]{26}/g, 'run-…')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/\d+ s ago/g, '<when>');

/** The command that a text tells to type, without the name of the program. */
export const commandIn = (text: string, verb: string): string[] =>
  (new RegExp(`touchstone (${verb} .*?)(?:  |\\n|$)`).exec(text)?.[1] ?? '').split(' ');
