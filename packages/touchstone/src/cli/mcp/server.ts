import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { type Schema, schemaIssues } from '@touchstone/protocol/schema';
import type { Progress } from '../../ports/index.js';
import { programIo } from '../evaluate/program-io.js';
import type { Context } from '../io.js';
import { progressText } from '../render/progress.js';
import { renderIssues } from '../report-error.js';
import { packageVersion } from '../version.js';
import { type Call, type Limits, type Tool, troubleWords } from './tool.js';
import { explainCheck } from './tools/explain-check.js';
import { runSuite } from './tools/run-suite.js';
import { compareRuns, listRuns, showFailures, showTask } from './tools/runs.js';
import { listSuites, validateSuite } from './tools/suites.js';

const TOOLS: readonly Tool[] = [
  listSuites,
  validateSuite,
  runSuite,
  listRuns,
  showFailures,
  showTask,
  compareRuns,
  explainCheck,
];

const INSTRUCTIONS =
  'Touchstone runs evaluation suites against agents. list_suites tells what there is; run_suite runs a suite and tells what failed; show_task shows one task. After a change run again with "failed", then the whole suite, and compare_runs. A task without a score says nothing about the agent.';

/** What a server works with. */
export type Serving = {
  /** The folder as its working folder. */
  readonly context: Context;
  readonly limits: Limits;
  readonly readOnly: boolean;
  /** Calls at work, until each has come to rest. */
  readonly calls: Set<Promise<unknown>>;
};

/** A server with its tools, for one connection. */
export function createServer(serving: Serving): McpServer {
  const server = new McpServer(
    { name: 'touchstone', title: 'Touchstone', version: packageVersion() },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of TOOLS) if (tool.readOnly || !serving.readOnly) addTool(server, tool, serving);
  return server;
}

function addTool(server: McpServer, tool: Tool, serving: Serving): void {
  const { name, title, description, input, output, readOnly } = tool;
  const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: !readOnly };
  server.registerTool(
    name,
    { title, description, annotations, inputSchema: standard(input), outputSchema: standard(output) },
    async (given: unknown, request: ServerContext) => {
      const called = callTool(tool, given, request, serving);
      serving.calls.add(called);
      return called.finally(() => serving.calls.delete(called));
    },
  );
}

async function callTool(tool: Tool, given: unknown, request: ServerContext, serving: Serving) {
  try {
    const result = await tool.call(given as never, callOf(request, serving));
    return { content: [textOf(JSON.stringify(result))], structuredContent: { ...result } };
  } catch (error) {
    return { isError: true, content: [textOf(troubleWords(error))] };
  }
}

const textOf = (text: string) => ({ type: 'text' as const, text });

/** Each call opens the folder anew: agents, suites and configuration are as they are at that moment. */
function callOf({ mcpReq }: ServerContext, { context: { io, settings }, limits }: Serving): Call {
  const { cwd, env, now, stderr } = io;
  const token = mcpReq._meta?.progressToken;
  let told = 0;
  return {
    // Whoever looks for a fault wants the log, and nobody the words for people at a terminal.
    context: {
      io: { ...programIo(mcpReq.signal), cwd, env, now, ...(env.TOUCHSTONE_DEBUG && { stderr }) },
      settings,
    },
    limits,
    progress(progress: Progress) {
      // Progress has to grow, and several tasks may end at once.
      if (token === undefined || progress.done <= told || mcpReq.signal.aborted) return;
      told = progress.done;
      const params = { progressToken: token, progress: told, total: progress.total };
      const message = progressText(progress);
      mcpReq
        .notify({ method: 'notifications/progress', params: { ...params, message } })
        .catch(() => undefined);
    },
  };
}

/** A schema of ours in the form that the library takes. */
function standard(schema: Schema) {
  const json = schema as unknown as Record<string, unknown>;
  const wordsOf = (value: unknown): string =>
    renderIssues(schemaIssues(schema, value), '')
      .map((line) => line.trim())
      .join('; ');
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'touchstone',
      jsonSchema: { input: () => json, output: () => json },
      validate(value: unknown) {
        const message = wordsOf(value);
        return message === '' ? { value } : { issues: [{ message }] };
      },
    },
  };
}
