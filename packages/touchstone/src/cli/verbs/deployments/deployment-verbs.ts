import type { Command } from 'commander';
import {
  addHost,
  channelOption,
  examples,
  percent,
  type Start,
  several,
  toOption,
  WAIT,
  waitSeconds,
  wholeNumber,
} from '../../verb-options.js';

function addPromote(program: Command, start: Start): void {
  const promote = program
    .command('promote')
    .summary('put a version of an agent into service, or take it out')
    .description(
      'Moves a version of an agent towards service, one state after the other: draft, test, staged, active. The gates of the configuration decide what has to be shown, and who has to agree. Also takes a version out of service again.',
    )
    .argument('<agent>', 'the agent with its version, as in local.acme.support@1.0.0')
    .addOption(toOption())
    .addOption(channelOption())
    .option('--canary <percent>', 'give it only this share of the traffic', percent)
    .option('--eval-run <run>', 'the run that is the evidence: its id, or "last" for the newest one')
    .option('--reason <text>', 'why; kept with the decision')
    .option('--pause', 'take it out of service for a while; promote it to bring it back')
    .option('--deprecate', 'take it out of service for good')
    .option('--rollback', 'take it out of service for good, and bring the version before it back')
    .option('--share <percent>', 'give a version that serves another share of the traffic', percent)
    .option('--wait [seconds]', WAIT, waitSeconds);
  addHost(promote)
    .action(start(() => import('./promote.js'), 'promoteCommand'))
    .addHelpText('after', PROMOTE_HELP);
}

const PROMOTE_HELP = `${examples(
  'promote local.acme.support@1.1.0 --channel stable --eval-run last',
  'promote local.acme.support@1.1.0 --channel stable --canary 10 --eval-run last',
  'promote local.acme.support@1.1.0 --share 50',
  'promote local.acme.support@1.1.0 --rollback --reason "too many refunds"',
)}

Exit codes: 0 moved · 1 denied · 2 not possible · 3 waits for approval`;

function addApprove(program: Command, start: Start): void {
  const approve = program
    .command('approve')
    .summary('answer a deployment that waits for approval')
    .description(
      'Shows what a deployment waits for, and grants it. With --reject it is a no; with --withdraw nobody is asked any longer.',
    )
    .argument('<runId>', 'the run that waits, or "last" for the newest one that does')
    .option('--reject', 'say no; the question is asked anew')
    .option('--withdraw', 'ask no longer: ends the run, and nothing is moved')
    .option('--override', 'pass over the gate, for those who may; needs --reason')
    .option('--reason <text>', 'why; kept with the decision');
  addHost(approve)
    .action(start(() => import('./approve.js'), 'approveCommand'))
    .addHelpText(
      'after',
      `${examples(
        'runs --status waiting-approval',
        'approve run-01m7gp92wp9t9pa895y5s9xmjk',
        'approve run-01m7gp92wp9t9pa895y5s9xmjk --reject --reason "not before Monday"',
        'approve run-01m7gp92wp9t9pa895y5s9xmjk --withdraw',
      )}\n\nExit codes: 0 the answer counts · 1 it does not, or what it released was refused`,
    );
}

function addDeployments(program: Command, start: Start): void {
  addHost(program.command('deployments'))
    .summary('show the versions of an agent, and which of them serve')
    .description(
      'Shows every version of an agent: its state, its share, its channels, and on what it was let in.',
    )
    .argument('<agent>', 'an agent, or one of its versions')
    .action(start(() => import('./promote.js'), 'deploymentsCommand'))
    .addHelpText('after', examples('deployments local.acme.support'));
}

function addAudit(program: Command, start: Start): void {
  const audit = program
    .command('audit')
    .summary('verify and list the audit log')
    .description(
      'The audit log records every decision about access: who asked for what, and whether it was allowed. Each record covers the one before it, so that a changed or removed record is noticed.',
    );
  addHost(audit.command('verify'))
    .description('Reads the audit log from its first record to its last, and tells whether it is unbroken.')
    .option(
      '--expect <head>',
      'a head kept from earlier, as <records>:<head>: the log must go through it; may be repeated',
      several,
    )
    .option(
      '--checkpoint <file>',
      'a checkpoint kept from earlier: the log must go through it; may be repeated',
      several,
    )
    .option(
      '--key <file>',
      'with --checkpoint: also trust this public key: Ed25519, PEM; may be repeated',
      several,
    )
    .action(start(() => import('./audit.js'), 'verifyAuditCommand'))
    .addHelpText('after', '\nExample:\n  $ touchstone audit verify\n\nExit codes: 0 unbroken · 1 broken');
  addHost(audit.command('checkpoint'), 'have another host sign its log')
    .description(
      'Signs the head of the audit log with the key of the host. Keep the file where nobody who writes the store can reach it: a log that is cut or rewritten later does not go through it.',
    )
    .option('-o, --out <folder>', 'write the checkpoint into this folder')
    .action(start(() => import('./audit.js'), 'checkpointAuditCommand'))
    .addHelpText('after', examples('audit checkpoint --out checkpoints'));
  addHost(audit.command('list'))
    .description('Lists the audit log, newest first.')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 10_000), 20)
    .action(start(() => import('./audit.js'), 'listAuditCommand'))
    .addHelpText('after', examples('audit list --limit 100 --json'));
}

// In the order of the help.
export const DEPLOYMENT_VERBS = [addPromote, addApprove, addDeployments, addAudit];
