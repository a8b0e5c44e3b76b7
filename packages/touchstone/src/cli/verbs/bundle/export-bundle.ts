import { resolve } from 'node:path';
import { ownKey, type PartName, partsIn, sealBundle } from '../../../app/index.js';
import { displayPath } from '../../files/local-files.js';
import { readSigning } from '../../files/pack-files.js';
import { type Context, type ExitCode, writeLine, writeResult } from '../../io.js';
import { renderPack } from '../../render/pack.js';
import { asEvalRun, findRun } from '../../run-lookup.js';
import { withSession } from '../../session.js';
import { packageVersion } from '../../version.js';
import { checkCompleted, checkFiles, type ExportOptions, sealCard, writePublicKey } from '../runs/export.js';
import { placeBundle } from './bundle-files.js';
import { COLLECT } from './collect-parts.js';

/** Writes a run with everything that its result rests on, so that others can check it without this host. */
export async function exportBundle(
  context: Context,
  wanted: string,
  options: ExportOptions & { readonly bundle: string },
): Promise<ExitCode> {
  const { io, settings } = context;
  await checkFiles(context, options);
  const given = readSigning(options, io.cwd);
  const { files, signing, card } = await withSession(context, options, 'look', async (session) => {
    const run = asEvalRun(await findRun(session.client, wanted));
    checkCompleted(context, run, options);
    const card = await session.client.runs.scorecard(run.runId);
    const signing = given ?? (await ownKey(resolve(io.cwd, settings.data)));
    const from = {
      ...{ session, run, card, sealed: sealCard(card, signing) },
      bodies: options.bodies === true,
      withSuite: options.suite !== false,
      note: (text: string) => writeLine(io.stderr, `note: ${text}`),
    };
    const files = new Map<string, Buffer>();
    for (const name of Object.keys(COLLECT) as PartName[])
      for (const [file, bytes] of await COLLECT[name](from)) files.set(file, Buffer.from(bytes));
    return { files, signing, card };
  });
  const facts = {
    runId: card.runId,
    createdAt: new Date(io.now()).toISOString(),
    host: { name: 'touchstone', version: packageVersion() },
    parts: [...partsIn(files)],
  };
  const sealed = sealBundle(files, facts, signing);
  writePublicKey(context, signing, options);
  placeBundle(options.bundle, io.cwd, sealed);
  const shown = displayPath(resolve(io.cwd, options.bundle), io.cwd);
  const names = [...sealed.keys()].sort();
  const document = { bundle: shown, ...facts, files: names, keyId: signing.keyId };
  writeResult(context, document, ({ ink }) =>
    renderPack(
      'Exported an evidence bundle',
      [
        ['file', shown],
        ['run', card.runId],
        ['parts', facts.parts.join(', ')],
        ['files', String(names.length)],
        ['signed by', signing.keyId],
      ],
      [],
      ink,
    ),
  );
  return 0;
}
