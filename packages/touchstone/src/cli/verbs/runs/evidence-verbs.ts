import type { Command } from 'commander';
import { addHost, examples, type Start, several } from '../../verb-options.js';
import { dollars, share, wholeNumber } from '../project/verbs.js';

const RUN = 'a run, "last" for the newest one, "last~1" for the one before it';
const MOST = Number.MAX_SAFE_INTEGER;

function addExport(program: Command, start: Start): void {
  addHost(program.command('export'), 'export a run of another host')
    .summary('write the scorecard of a run as a signed file')
    .description(
      'Writes the scorecard of a completed run as a signed file that others can check and compare with. It holds scores, names and digests, and no content.',
    )
    .argument('<runId>', RUN)
    .option('-o, --out <file>', 'where to (default: <suiteId>-<runId>.scorecard.json here); - is stdout')
    .option('--key <file>', 'sign with this private key: Ed25519, PEM (default: one made for this machine)')
    .option('--key-id <id>', 'the name under which others know the key of --key')
    .option('--public-key <file>', 'also write the public key, which others need to check the file')
    .action(start(() => import('./export.js'), 'exportCommand'))
    .addHelpText(
      'after',
      examples(
        'export last --public-key pub.pem',
        'export last --out evidence.scorecard.json --key key.pem --key-id acme-2026',
      ),
    );
}

function addVerify(program: Command, start: Start): void {
  addHost(program.command('verify'), 'compare with the runs of another host instead of those kept here')
    .summary('check scorecard files')
    .description(
      'Checks scorecard files: that a trusted key has signed them, that their summary follows from their results, and that they agree with the run when it is kept here.',
    )
    .argument('<files...>', 'scorecard files, as "touchstone export" writes them; - is stdin')
    .option(
      '--key <file>',
      'also trust this public key: Ed25519, PEM; may be repeated (always trusted: "trust.keys" of the configuration, and the key of this machine)',
      several,
    )
    .action(start(() => import('./verify.js'), 'verifyCommand'))
    .addHelpText(
      'after',
      `${examples('verify evidence.scorecard.json', 'verify evidence.scorecard.json --key pub.pem')}\n\nExit codes: 0 verified · 1 not verified · 2 not a scorecard file`,
    );
}

function addReplay(program: Command, start: Start): void {
  const replay = program
    .command('replay')
    .summary('go through a recorded run again, or branch off from it')
    .description(
      'Goes through the log of a run again, as a new run, and tells whether everything follows from what is recorded: no agent, tool or judge is asked. With --branch the new run keeps the history before a point and runs the rest anew.',
    )
    .argument('<runId>', RUN)
    .option('--branch', 'run on from the point of --from, with the options below')
    .option(
      '--from <seq>',
      'with --branch: the event where the new run leaves the old one',
      wholeNumber(0, MOST),
    )
    .option('--model <model>', 'with --branch: ask this model')
    .option('--concurrency <n>', 'with --branch: tasks at a time', wholeNumber(1, 256))
    .option('--timeout <ms>', 'with --branch: stop after so many milliseconds', wholeNumber(1, MOST))
    .option('--budget <usd>', 'with --branch: start no further task once so much is spent', dollars)
    .option('--cache', 'with --branch: take model answers of earlier runs for the same questions')
    .option('--bodies', 'with --branch: show expected and actual answers also when stdout is not a terminal');
  addHost(replay)
    .action(start(() => import('../run/replay.js'), 'replayCommand'))
    .addHelpText(
      'after',
      examples('replay last', 'replay last --branch --from 0 --model local/small-2', 'show last --events'),
    );
}

function addAnnotate(program: Command, start: Start): void {
  addHost(program.command('annotate'), 'annotate a run of another host')
    .summary('rate or correct a run, or override the score of a task')
    .description(
      'Records what a person says about a run. --score, --passed and --failed override the score of a task: reports then show the automatic result and the adjusted one. The log, and the scorecard in it, never change.',
    )
    .argument('<runId>', RUN)
    .option('--task <taskId>', 'what it is about (default: the whole run)')
    .option('--rating <n>', 'from 1, poor, to 5, very good', wholeNumber(1, 5))
    .option('--label <text>', 'a word to sort by')
    .option('--flag', 'somebody should look at it')
    .option('--correction <text>', 'what the answer should have been')
    .option('--score <x>', 'the score that the task should have, from 0 to 1; needs --task and --note', share)
    .option('--passed', 'the task should have passed; needs --task and --note')
    .option('--failed', 'the task should have failed; needs --task and --note')
    .option('--note <text>', 'why')
    .option('--list', 'list what has been said about the run')
    .option('--bodies', 'show texts also when stdout is not a terminal')
    .action(start(() => import('./annotate.js'), 'annotateCommand'))
    .addHelpText(
      'after',
      examples(
        'annotate last --rating 4',
        'annotate last --task late-refund --passed --note "the golden answer is too strict"',
        'annotate last --list',
      ),
    );
}

// In the order of the help.
export const EVIDENCE_VERBS = [addReplay, addAnnotate, addExport, addVerify];
