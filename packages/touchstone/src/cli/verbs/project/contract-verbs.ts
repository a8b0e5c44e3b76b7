import { type Command, Option } from 'commander';
import type { Start } from '../../host-options.js';
import type { CompileVerbOptions } from './compile.js';
import { slaOption, wholeNumber } from './verbs.js';

const MOST = Number.MAX_SAFE_INTEGER;

export function addCompile(program: Command, start: Start): void {
  program
    .command('compile')
    .summary('make a suite of the test contract that an agent definition carries')
    .description(
      'Compiles the evaluation profile of an agent definition and its dataset into a suite, which any host can run, and a contract, which holds thresholds, gates and references.',
    )
    .argument('<definition>', 'an agent definition, JSON or YAML')
    .option(
      '-o, --out <place>',
      'folder to write to, or a name for the suite file, which ends in .json (default: here)',
    )
    .option('--check', 'write nothing: only tell whether it compiles')
    .option('--force', 'overwrite files that hold something else')
    .option('--only-agent <id>', 'of a definition with several agents, only this one')
    .option('--agent-id <id>', 'the id that the agent has where the suite is run')
    .option(
      '--rows <file>',
      'use these rows (.jsonl, .json, .csv) instead of the dataset that the profile names',
    )
    .option('--scope <name>', 'first part of the suite id (default: local)')
    .option('--org <name>', 'second part of the suite id (default: the author)')
    .option('--suite-name <name>', "last part of the suite id (default: the agent's name)")
    .addOption(slaOption())
    .addOption(
      new Option(
        '--implicit-reference <policy>',
        'what an expected value is that no criterion reads (default: strict)',
      ).choices(['strict', 'advisory', 'off']),
    )
    .option('--split', 'two tasks for a row that has an expected value and criteria; twice the cost')
    .option('--sample <n>', 'take so many rows of a longer dataset', wholeNumber(1, MOST))
    .option('--seed <text>', 'with --sample: another seed gives other rows')
    .option('--allow-unpinned', 'use a remote dataset of a published agent although nothing pins it')
    .option('--percent-thresholds', 'thresholds above 1 are percentages')
    .option('--budget-caps', "make the policy's total cost a bar of the suite")
    .option('--fenced-json', 'JSON may stand in one code fence')
    .option('--approximate-similarity', 'compare words where nobody can compare meanings')
    .action((definition: string, options: CompileVerbOptions, command: Command) =>
      start(command, async (context) =>
        (await import('./compile.js')).compileCommand(context, definition, options),
      ),
    )
    .addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ touchstone compile agent.json
  $ touchstone compile manifest.yaml --check
  $ touchstone compile agent.json --out build/ --agent-id vendor.acme.support
  $ touchstone compile agent.json --rows more-rows.jsonl --sample 500

"touchstone run <suite file>" runs both, as long as they lie side by side; "touchstone run <definition>" compiles anew.`;
