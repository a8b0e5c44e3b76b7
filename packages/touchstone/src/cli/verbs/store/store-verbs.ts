import type { Command } from 'commander';
import { addHost, examples, type Start, wholeNumber } from '../../verb-options.js';

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

// In the order of the help.
export const STORE_VERBS = [addPrune, addUsage, addBackup];
