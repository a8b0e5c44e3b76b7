import type { Command } from 'commander';
import { addHost, examples, type Start } from '../../verb-options.js';

function addSuite(program: Command, start: Start): void {
  const suite = program
    .command('suite')
    .summary('sign, verify, install and publish suites, and move their pins')
    .description(
      'A suite travels by itself: a file <name>-<version>.suite.json, and a signed envelope beside it. A folder of them that is served over HTTPS is a registry.',
    );
  addSign(suite, start);
  addVerify(suite, start);
  addInstall(suite, start);
  addPublish(suite, start);
  addUpdate(suite, start);
}

const NAME = 'acme.shop.evals.desk';
const FILE = `${NAME}-1.0.0.suite.json`;

function addSign(suite: Command, start: Start): void {
  suite
    .command('sign')
    .description(
      'Writes a suite as the document that travels, and signs it: <name>-<version>.suite.json, and the envelope under the same name with .dsse at its end.',
    )
    .argument('<suite>', 'a suite file, JSON or YAML')
    .requiredOption('--key <file>', 'the private key: Ed25519, PEM')
    .requiredOption('--key-id <id>', 'the name under which others know the key')
    .option('-o, --out <folder>', 'folder to write to (default: that of the suite file)')
    .option('--force', 'overwrite files that hold something else')
    .action(start(() => import('./suite-sign.js'), 'signSuiteCommand'))
    .addHelpText(
      'after',
      `\nMake a key with: openssl genpkey -algorithm ed25519 -out key.pem\n${examples('suite sign evals/desk.suite.yaml --key key.pem --key-id acme-2026 --out dist')}`,
    );
}

function addVerify(suite: Command, start: Start): void {
  suite
    .command('verify')
    .description('Checks a suite and its envelope against "trust" of the configuration. Installs nothing.')
    .argument('<suite>', 'a file <name>-<version>.suite.json')
    .option('--envelope <file>', 'its envelope (default: the file beside it, with .dsse at its end)')
    .action(start(() => import('./suite-install.js'), 'verifySuiteCommand'))
    .addHelpText('after', `${examples(`suite verify ${FILE}`)}\n\nExit codes: 0 accepted · 1 refused`);
}

function addInstall(suite: Command, start: Start): void {
  addHost(suite.command('install'), 'install it on another host')
    .description('Installs a suite with its envelope, here or on another host.')
    .argument('<suite>', 'a file <name>-<version>.suite.json')
    .option('--envelope <file>', 'its envelope (default: the file beside it, with .dsse at its end)')
    .action(start(() => import('./suite-install.js'), 'installSuiteCommand'))
    .addHelpText(
      'after',
      examples(
        `suite install ${FILE}`,
        `suite install ${FILE} --host https://evals.example --key-env EVALS_KEY`,
      ),
    );
}

function addPublish(suite: Command, start: Start): void {
  suite
    .command('publish')
    .description(
      'Puts suites into the folder of a registry, with their envelopes, and lists them in its index.json. A version that is published never changes.',
    )
    .argument('<paths...>', 'files <name>-<version>.suite.json, and last the folder')
    .action(start(() => import('./suite-publish.js'), 'publishSuiteCommand'))
    .addHelpText('after', examples(`suite publish dist/${FILE} registry/`));
}

function addUpdate(suite: Command, start: Start): void {
  suite
    .command('update')
    .description(
      'Moves pins of touchstone.lock.json to the highest version that their registry has within their range.',
    )
    .argument('[suites...]', 'suites as id or id@range (default: all that are pinned)')
    .option('--registry <url>', 'from now on, from this registry')
    .option('--allow-downgrade', 'also to a lower version')
    .action(start(() => import('./suite-update.js'), 'updateSuitesCommand'))
    .addHelpText('after', examples('suite update', `suite update '${NAME}@^2'`));
}

// In the order of the help.
export const SUITE_VERBS = [addSuite];
