import { dirname, resolve } from 'node:path';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Context, DEFAULT_DATA, type ExitCode, UsageError, writeLine } from '../../io.js';
import { readConfig } from '../../local.js';
import { createServer, type Serving } from '../../mcp/server.js';
import { untilSignal } from './serve.js';

type McpOptions = {
  readonly maxBudget: number;
  readonly allowUnpriced?: boolean;
  /** False with `--no-bodies`. */
  readonly bodies: boolean;
  readonly readOnly?: boolean;
};

/** Serves the suites, agents and runs of a folder to a coding agent, until that closes stdin. */
export async function mcpCommand(given: Context, options: McpOptions): Promise<ExitCode> {
  const { io } = given;
  const { stdin, stdout } = io.takeStdio();
  const context = inFolder(given);
  await readConfig(context).catch(unlessAbsent);
  const serving: Serving = {
    context,
    limits: {
      maxBudgetUsd: options.maxBudget,
      allowUnpriced: options.allowUnpriced ?? false,
      bodies: options.bodies,
    },
    readOnly: options.readOnly ?? false,
    calls: new Set(),
  };
  const transport = new StdioServerTransport(stdin, stdout);
  const server = serveStdio(() => createServer(serving), {
    transport,
    onerror: (error) => writeLine(io.stderr, `note: ${wordsFor(error)}`),
  });
  await Promise.race([untilClosed(transport), untilSignal(io)]);
  await server.close();
  await Promise.allSettled(serving.calls);
  return 0;
}

/** The folder of the configuration that is named, or the working folder. */
function inFolder({ io, settings: typed }: Context): Context {
  const settings = { ...typed, modulesApart: true };
  if (settings.config === undefined) return { io, settings };
  const config = resolve(io.cwd, settings.config);
  const data = settings.data === DEFAULT_DATA ? DEFAULT_DATA : resolve(io.cwd, settings.data);
  return { io: { ...io, cwd: dirname(config) }, settings: { ...settings, config, data } };
}

/** The library listens for the end itself, and calls whoever listens after it. */
const untilClosed = (transport: StdioServerTransport): Promise<void> =>
  new Promise((end) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      end();
    };
  });

/** What is wrong inside a configuration is told by the calls that need it: a coding agent may be about to repair it. */
function unlessAbsent(error: unknown): void {
  if (error instanceof UsageError) throw error;
}

/** A parser quotes what it could not read, which may be anything. */
const wordsFor = ({ name, message }: Error): string =>
  ({
    SyntaxError: 'a line on stdin that is not JSON was passed over.',
    ZodError: 'a message on stdin that is not JSON-RPC 2.0 was passed over.',
  })[name] ?? `the connection: ${message.split('\n')[0] ?? ''}`;
