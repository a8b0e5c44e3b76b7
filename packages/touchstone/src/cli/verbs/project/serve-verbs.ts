import { type Command, Option } from 'commander';
import { examples, type Start, wholeNumber } from '../../verb-options.js';

export function addServe(program: Command, start: Start): void {
  program
    .command('serve')
    .summary('serve the page and the HTTP API')
    .description(
      'Serves the page and the HTTP API. Without a key it makes one, and then listens on this machine only.',
    )
    .option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 8787)
    .option('--bind <address>', 'address to listen on', '127.0.0.1')
    .addOption(
      new Option('--log-level <level>', 'lines to write to stderr; info has one per request')
        .choices(['info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .option('--test-seams', 'mount the conformance test seams under /v1/host/sample')
    .action(start(() => import('./serve.js'), 'serveCommand'))
    .addHelpText('after', examples('serve', 'serve --port 0 --config touchstone.config.json'));
}

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
    .option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 0)
    .action(start(() => import('./view.js'), 'viewCommand'))
    .addHelpText('after', examples('view', 'view last --open'));
}
