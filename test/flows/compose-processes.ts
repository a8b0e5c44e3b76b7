import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { freePort } from '../../packages/touchstone/src/agents/fixtures/free-port.js';
import { CLI } from './processes.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The members of a service that its processes depend on. */
export type Service = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
  readonly depends_on?: { readonly [service: string]: { readonly condition: string } };
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly deploy?: { readonly replicas?: number };
  readonly [member: string]: unknown;
};
export type ComposeFile = {
  readonly services: { readonly [name: string]: Service };
  readonly secrets?: { readonly [name: string]: { readonly file: string } };
  readonly volumes?: object;
};

export const readCompose = (name: string): ComposeFile =>
  parse(readFileSync(join(ROOT, name), 'utf8'), { merge: true }) as ComposeFile;

/** Services in an order in which each stands after those it depends on. */
export function inOrder({ services }: ComposeFile): readonly string[] {
  const order: string[] = [];
  const add = (name: string): void => {
    for (const before of Object.keys(services[name]?.depends_on ?? {})) add(before);
    if (!order.includes(name)) order.push(name);
  };
  for (const name of Object.keys(services)) add(name);
  return order;
}

export type ComposeProcess = {
  readonly child: ChildProcess;
  /** The port that stands for the one the service listens on. */
  readonly port: number;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  /** Runs its health check; the exit code. */
  checkHealth(): Promise<number | null>;
};

/** The port of a service inside of its container: each process has one of its own here. */
const PORTS = ['8787', '8788'];

/**
 * Starts processes of a compose file as plain processes of this machine, with their own commands: paths lead into `folder`, ports
 * are free ones, and addresses are loopback. Of the environment they get nothing but the path.
 */
export function createComposeRunner(file: ComposeFile, folder: string) {
  const running: ComposeProcess[] = [];

  const pathsOf = ({ volumes = [], secrets = [] }: Service): readonly (readonly [string, string])[] => [
    ...volumes.map((volume) => {
      const [from = '', to = ''] = volume.split(':');
      if (!from.startsWith('.')) return [to, join(folder, 'volumes', from)] as const;
      return [to, from.startsWith('./deploy') ? resolve(ROOT, from) : join(folder, from)] as const;
    }),
    ...secrets.map((name) => [`/run/secrets/${name}`, secretFile(name)] as const),
  ];
  const secretFile = (name: string): string => join(folder, file.secrets?.[name]?.file ?? '');

  const translate = (service: Service, words: readonly string[], port: number): readonly string[] =>
    words.map((word) => {
      if (word === '0.0.0.0') return '127.0.0.1';
      if (PORTS.includes(word)) return String(port);
      const mapped = pathsOf(service).find(([inside]) => word === inside || word.startsWith(`${inside}/`));
      const onMachine = mapped ? mapped[1] + word.slice(mapped[0].length) : word;
      return PORTS.reduce(
        (text, one) => text.replaceAll(`127.0.0.1:${one}/`, `127.0.0.1:${port}/`),
        onMachine,
      );
    });

  /** The command line of the image's entry point, or the program that the command names. */
  const programOf = (service: Service, words: readonly string[]): readonly string[] => {
    if (service.image !== 'touchstone') return words;
    const hasPort = words[0] === 'serve' ? ['--port', '8787'] : [];
    return [process.execPath, CLI, ...words, ...hasPort];
  };

  const start = async (
    name: string,
    more: { readonly words?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<ComposeProcess> => {
    const service = file.services[name] as Service;
    const port = await freePort();
    const env = { PATH: process.env.PATH, NO_COLOR: '1', ...more.env };
    const paths = pathsOf(service);
    for (const [, path] of paths) if (path.includes('/volumes/')) mkdirSync(path, { recursive: true });
    const config = paths.find(([inside]) => inside === '/etc/touchstone')?.[1] ?? folder;
    const run = (words: readonly string[]): ChildProcess => {
      const [program = '', ...args] = translate(service, words, port);
      return spawn(program, args, { cwd: config, env, stdio: ['ignore', 'pipe', 'pipe'] });
    };
    const child = run(programOf(service, more.words ?? service.command ?? []));
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, text }));
    const checkHealth = async () => {
      const [kind, ...words] = service.healthcheck?.test ?? [];
      if (kind !== 'CMD') throw new Error(`${name} has no health check that is a command.`);
      const [code] = await once(run(words), 'close');
      return code as number | null;
    };
    const started = { child, port, ended, checkHealth };
    running.push(started);
    return started;
  };

  return {
    start,
    secretFile,
    /** As many as the file wants. */
    startAll: (name: string) =>
      Promise.all(Array.from({ length: file.services[name]?.deploy?.replicas ?? 1 }, () => start(name))),
    /** A one-shot process has to end with 0. */
    async runOnce(name: string, words?: readonly string[]): Promise<string> {
      const { code, text } = await (await start(name, words && { words })).ended;
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${text}`);
      return text;
    },
    async stop(): Promise<void> {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
