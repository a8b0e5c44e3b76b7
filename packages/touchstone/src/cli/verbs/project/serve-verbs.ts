import { type Command, Option } from 'commander';
import {
  dollars,
  examples,
  OTEL,
  type Start,
  wholeNumber,
  withEnvFiles,
  withSecretFiles,
} from '../../verb-options.js';

export function addServe(program: Command, start: Start): void {
  withSecretFiles(program.command('serve'))
    .summary('serve the page and the HTTP API')
    .description(
      'Serves the page and the HTTP API. Without a key it makes one, and then listens on this machine only.',
    )
    .option('--port <n>', 'port to listen on; 0 picks a free one', port, 8787)
    .option('--bind <address>', 'address to listen on', '127.0.0.1')
    .addOption(logLevel('lines to write to stderr; info has one per request'))
    .option('--no-work', 'take requests only, and leave runs to other hosts and workers of the database')
    .option('--no-prepare', 'use the tables, packs and suites of the store as they are')
    .option('--drain <seconds>', 'time to finish the tasks at work when it is told to end', seconds, 0)
    .option(...OTEL)
    .option('--test-seams', 'mount the conformance test seams under /v1/host/sample')
    .action(start(() => import('./serve.js'), 'serveCommand'))
    .addHelpText('after', examples('serve', 'serve --port 0 --config touchstone.config.json'));
}

/** Without a port: requests come to `serve`. */
export function addWorker(program: Command, start: Start): void {
  withSecretFiles(program.command('worker'))
    .summary('execute runs of a database that hosts share')
    .description(
      'Takes up runs of a PostgreSQL store, and executes them. Needs the same configuration and files as the hosts.',
    )
    .option('--health <port>', 'port for /healthz, /readyz and /metrics; 0 picks a free one', port)
    .option('--bind <address>', 'address of that port', '127.0.0.1')
    .option('--drain <seconds>', 'time to finish the tasks at work when it is told to end', seconds, 25)
    .addOption(logLevel('lines to write to stderr'))
    .option(...OTEL)
    .action(start(() => import('./worker.js'), 'workerCommand'))
    .addHelpText('after', examples('worker', 'worker --health 8788 --bind 0.0.0.0'));
}

const port = wholeNumber(0, 65_535);
const seconds = wholeNumber(0, 3_600);
const logLevel = (about: string): Option =>
  new Option('--log-level <level>', about).choices(['info', 'warn', 'error', 'silent']).default('warn');

/** What is kept in this folder, in a browser. */
export function addView(program: Command, start: Start): void {
  program
    .command('view')
    .summary('look at runs in a browser')
    .description(
      'Serves the page for the runs kept here, on this machine only, and prints a link that signs in once.',
    )
    .argument('[runId]', 'a run to begin with, "last" for the newest one; without it, all runs')
    .option('--open', 'open the link in the browser of this machine')
    .option('--port <n>', 'port to listen on; 0 picks a free one', port, 0)
    .action(start(() => import('./view.js'), 'viewCommand'))
    .addHelpText('after', examples('view', 'view last --open'));
}

/** For coding agents, which start it and speak to it over pipes. */
export function addMcp(program: Command, start: Start): void {
  withEnvFiles(
    program
      .command('mcp')
      .summary('let a coding agent run suites and read what failed')
      .description(
        'Serves the suites, agents and runs of this folder to a coding agent, as an MCP server on stdin and stdout. The folder is that of --config, or the working folder.',
      )
      .option('--max-budget <usd>', 'the most that one run may spend, in US dollars', dollars, 1)
      .option('--allow-unpriced', 'let runs ask models whose price is not known')
      .option('--no-bodies', 'leave inputs, answers and reasons out of every result')
      .option('--read-only', 'let nothing be run'),
  )
    .action(start(() => import('./mcp.js'), 'mcpCommand'))
    .addHelpText('after', examples('mcp', 'mcp --config demo/touchstone.config.json --max-budget 0.25'));
}
