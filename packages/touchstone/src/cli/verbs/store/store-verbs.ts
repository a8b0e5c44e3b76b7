import type { Command } from 'commander';
import { addHost, examples, type Start, wholeNumber, withSecretFiles } from '../../verb-options.js';

function addPrune(program: Command, start: Start): void {
  addHost(program.command('prune'), 'remove runs of your tenant on another host')
    .summary('remove old runs, or their content')
    .description(
      'Removes ended runs that are old enough and that nothing needs. Baselines, what deployments rest on, and what unfinished runs read stay; so does the audit log.',
    )
    .option('--older-than <time>', 'only runs that ended so long ago, e.g. 90d')
    .option('--keep <n>', 'keep the newest so many of each suite and agent', wholeNumber(0, 1_000_000))
    .option('--tenant <name>', 'only runs of this tenant (default: every tenant of this store)')
    .option('--bodies-only', 'remove answers, tool calls and reasons, and keep the scores')
    .option('--dry-run', 'remove nothing, and show what would be removed')
    .action(start(() => import('./prune.js'), 'pruneCommand'))
    .addHelpText('after', examples('prune --older-than 90d --dry-run', 'prune --keep 20 --bodies-only'));
}

function addUsage(program: Command, start: Start): void {
  addHost(program.command('usage'), 'ask another host; its key needs the role operator')
    .summary('list runs, cost and size of each tenant')
    .description('Lists how many runs each tenant has in the store, what they cost and how large they are.')
    .action(start(() => import('./usage.js'), 'usageCommand'));
}

function addWorkers(program: Command, start: Start): void {
  addHost(program.command('workers'), 'ask another host; its key needs the role operator')
    .summary('list the processes that execute runs')
    .description(
      'Lists the hosts and workers that take up runs of a PostgreSQL store: their release, their environment, how many runs they have, and when they told of themselves last.',
    )
    .action(start(() => import('./workers.js'), 'workersCommand'));
}

function addBackup(program: Command, start: Start): void {
  program
    .command('backup')
    .summary('copy the store while it is in use')
    .description(
      'Copies the store and the signing key to a new folder. A host on the same store goes on meanwhile.',
    )
    .argument('<folder>', 'a new folder; it can be used with --data')
    .action(start(() => import('./backup.js'), 'backupCommand'))
    .addHelpText('after', examples('backup backups/monday'));
}

function addStore(program: Command, start: Start): void {
  const store = program
    .command('store')
    .summary('prepare, check and move the store')
    .description('The store keeps runs, suites, agents and everything else: in a file, or in PostgreSQL.');
  withSecretFiles(store.command('prepare'))
    .description(
      'Makes the tables of the configured store, or brings them to this release, and loads the suites and packs of the configuration. Hosts do so by themselves; this is for those with --no-prepare, or whose user may not.',
    )
    .action(start(() => import('./store.js'), 'prepareStoreCommand'));
  withSecretFiles(store.command('check'))
    .description('Reads every log and every audit log of the configured store, and tells what does not hold.')
    .action(start(() => import('./store.js'), 'checkStoreCommand'))
    .addHelpText('after', '\nExit codes: 0 all is well · 1 something does not hold');
  withSecretFiles(store.command('copy'))
    .description(
      'Copies everything from one store to another, in either direction, and compares both. Nothing may use them meanwhile. A copy that was interrupted is continued.',
    )
    .argument('<from>', 'sqlite:<file>, postgres://… or env:NAME')
    .argument('<to>', 'the same; a new file, or a database in which nothing is kept')
    .action(start(() => import('./store.js'), 'copyStoreCommand'))
    .addHelpText(
      'after',
      `${examples('store copy sqlite:.touchstone/touchstone.db env:DATABASE_URL')}\n\nExit codes: 0 both hold the same · 1 they differ`,
    );
}

// In the order of the help.
export const STORE_VERBS = [addPrune, addUsage, addWorkers, addBackup, addStore];
