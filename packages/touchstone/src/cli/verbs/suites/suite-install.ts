import { defined, isHostError, type JsonObject } from '@touchstone/protocol';
import { trustOf } from '../../../app/index.js';
import { suiteIntegrity, verifySuite } from '../../../packs/index.js';
import { suiteDocument } from '../../../suites/index.js';
import { openSignedSuite } from '../../files/signed-suite.js';
import { type Context, type ExitCode, writeLine, writeResult } from '../../io.js';
import { readConfig } from '../../local.js';
import { renderPack } from '../../render/pack.js';
import { errorDocument, explain } from '../../report-error.js';
import { type Where, withSession } from '../../session.js';
import { suiteRows } from './suite-rows.js';

type EnvelopeOption = { readonly envelope?: string };

/** Looks at a suite as an installation would, and keeps nothing. */
export async function verifySuiteCommand(
  context: Context,
  named: string,
  options: EnvelopeOption,
): Promise<ExitCode> {
  const { io, settings } = context;
  const { suite, envelope } = openSignedSuite(named, io.cwd, options.envelope);
  const trust = trustOf(await readConfig(context), 'cli');
  const { suiteId, version, digest } = suite.head;
  const facts = { suite: `${suiteId}@${version}`, digest, integrity: suiteIntegrity(suite.head) };
  try {
    const { signedBy, warnings } = verifySuite(suite.head, envelope, trust);
    const verified = signedBy !== undefined;
    const document = {
      admitted: true,
      verified,
      ...facts,
      ...defined({ signedBy }),
      policy: trust.policy,
      warnings,
    };
    const signature = verified
      ? `by ${signedBy}, a key of trust.keys`
      : envelope === undefined
        ? 'none'
        : 'not checked';
    writeResult(context, document, ({ ink }) =>
      renderPack(
        `${ink.green('✓')} ${facts.suite} ${verified ? 'is verified' : 'is allowed here'}`,
        [...suiteRows(suite), ['signature', signature], ['policy', trust.policy]],
        warnings,
        ink,
      ),
    );
    return 0;
  } catch (error) {
    if (!isHostError(error)) throw error;
    const document = { admitted: false, verified: false, ...facts, error: errorDocument(error) };
    writeResult(context, document, ({ ink }) => `  ${ink.red('✗')} ${named} is refused\n`);
    if (!settings.json) for (const line of explain(error).lines) writeLine(io.stderr, line);
    return 1;
  }
}

/** Installs a suite with its envelope. Whether it may be used is for the host to decide that gets it. */
export async function installSuiteCommand(
  context: Context,
  named: string,
  options: Where & EnvelopeOption,
): Promise<ExitCode> {
  const { suite, envelope } = openSignedSuite(named, context.io.cwd, options.envelope);
  const installed = await withSession(context, options, 'work', ({ client }) =>
    client.suites.install(suiteDocument(suite) as JsonObject, defined({ envelope })),
  );
  const { suiteRef, outcome, signedBy, warnings = [] } = installed;
  const where = options.host === undefined ? '' : ` on ${new URL(options.host).origin}`;
  const title = outcome === 'same' ? `${suiteRef} was installed before` : `Installed ${suiteRef}${where}`;
  writeResult(context, installed, ({ ink }) =>
    renderPack(
      title,
      [...suiteRows(suite), ['signed by', signedBy ?? 'nobody who is trusted here']],
      warnings,
      ink,
    ),
  );
  return 0;
}
