import { type Command, Option } from 'commander';
import { addHost, examples, type Start, wholeNumber } from '../../verb-options.js';
import { slaOption } from './verbs.js';

const MOST = Number.MAX_SAFE_INTEGER;

function addCompile(program: Command, start: Start): void {
  program
    .command('compile')
    .summary('make a suite of an agent definition with a test contract, or of a suite file with expect')
    .description(
      'Compiles the evaluation profile of an agent definition and its dataset into a suite, which any host can run, and a contract, which holds thresholds, gates and references. Of a suite file it writes the form of the wire, and the tags of its tasks beside it.',
    )
    .argument('<file>', 'an agent definition or a suite file, JSON or YAML')
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
    .action(start(() => import('./compile.js'), 'compileCommand'))
    .addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ touchstone compile agent.json
  $ touchstone compile manifest.yaml --check
  $ touchstone compile desk.suite.yaml --out build/
  $ touchstone compile agent.json --out build/ --agent-id vendor.acme.support
  $ touchstone compile agent.json --rows more-rows.jsonl --sample 500

"touchstone run <suite file>" runs both, as long as they lie side by side; "touchstone run <definition>" compiles anew.`;

function addPack(program: Command, start: Start): void {
  const pack = program
    .command('pack')
    .summary('build, sign, verify, install, remove and revoke packs')
    .description('Packs carry agents together with the suites that show whether they work.');
  addBuild(pack, start);
  addSign(pack, start);
  addVerify(pack, start);
  addInstall(pack, start);
  addRemove(pack, start);
  addRevoke(pack, start);
}

function addBuild(pack: Command, start: Start): void {
  pack
    .command('build')
    .description('Makes the archive of a folder with a pack.json. Equal files give equal archives.')
    .argument('<folder>', 'folder of the pack')
    .option('-o, --out <file>', 'the archive (default: <name>-<version>.tgz in this folder)')
    .option('--key <file>', 'sign it with this private key: Ed25519, PEM')
    .option('--key-id <id>', 'the name under which others know the key')
    .option('--force', 'overwrite another file')
    .action(start(() => import('./pack-build.js'), 'buildPackCommand'))
    .addHelpText(
      'after',
      examples('pack build packs/support', 'pack build packs/support --key key.pem --key-id acme-2026'),
    );
}

function addSign(pack: Command, start: Start): void {
  pack
    .command('sign')
    .description(
      'Signs an archive: its manifest, and a list of all its files. A signature before is replaced.',
    )
    .argument('<archive>', 'archive of the pack')
    .requiredOption('--key <file>', 'the private key: Ed25519, PEM')
    .requiredOption('--key-id <id>', 'the name under which others know the key')
    .option('-o, --out <file>', 'write the signed archive there (default: in its place)')
    .option('--force', 'overwrite another file')
    .action(start(() => import('./pack-build.js'), 'signPackCommand'))
    .addHelpText(
      'after',
      `\nMake a key with: openssl genpkey -algorithm ed25519 -out key.pem\n${examples('pack sign vendor.acme.support-1.0.0.tgz --key key.pem --key-id acme-2026')}`,
    );
}

function addVerify(pack: Command, start: Start): void {
  pack
    .command('verify')
    .description('Checks a pack and its signature against "trust" of the configuration. Installs nothing.')
    .argument('<pack>', 'archive, or folder with a pack.json')
    .action(start(() => import('./pack-install.js'), 'verifyPackCommand'))
    .addHelpText('after', examples('pack verify vendor.acme.support-1.0.0.tgz'));
}

function addInstall(pack: Command, start: Start): void {
  addHost(pack.command('install'), 'install it on another host')
    .description('Installs a pack with its agents and suites, here or on another host.')
    .argument('<pack>', 'archive, or folder with a pack.json')
    .action(start(() => import('./pack-install.js'), 'installPackCommand'))
    .addHelpText(
      'after',
      examples(
        'pack install vendor.acme.support-1.0.0.tgz',
        'pack install packs/support --host https://evals.example --key-env EVALS_KEY',
      ),
    );
}

function addRemove(pack: Command, start: Start): void {
  addHost(pack.command('remove'), 'remove it from another host')
    .description(
      'Removes an installed pack with its agents and suites. Runs and their results stay. A version in service, or with a run that is not over, cannot be removed.',
    )
    .argument('<name@version>', 'the version of the pack')
    .action(start(() => import('./pack-withdraw.js'), 'removePackCommand'))
    .addHelpText('after', examples('pack remove vendor.acme.support@1.0.0'));
}

function addRevoke(pack: Command, start: Start): void {
  addHost(pack.command('revoke'), 'revoke it on another host')
    .description(
      'Revokes a version of a pack, installed or not, for good: it can no longer be installed or run, and its evidence passes no gate. Runs that have begun go on.',
    )
    .argument('<name@version>', 'the version of the pack')
    .option('--reason <text>', 'why, in a few words for the audit log')
    .action(start(() => import('./pack-withdraw.js'), 'revokePackCommand'))
    .addHelpText('after', examples('pack revoke vendor.acme.support@1.0.0 --reason "leaks order numbers"'));
}

// In the order of the help.
export const PACK_VERBS = [addCompile, addPack];
