import { HostError } from '@touchstone/protocol';
import type { Config, SuitePin } from '../../../app/index.js';
import { isLower, parseSuiteRange } from '../../../suites/index.js';
import { findPublished, publishedAs, registryOf } from '../../files/registry-fetch.js';
import { checkPinned, pinOf } from '../../files/registry-source.js';
import { keepPin, keepSuite, readPins } from '../../files/suite-pins.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { readConfig } from '../../local.js';

type UpdateOptions = { readonly registry?: string; readonly allowDowngrade?: boolean };
type PinMove = {
  readonly name: string;
  readonly from?: string;
  readonly to: string;
  readonly digest: string;
};

/** Moves pins. All of them are fetched and verified before the first is written down. */
export async function updateSuitesCommand(
  context: Context,
  named: readonly string[],
  options: UpdateOptions,
): Promise<ExitCode> {
  const config = await readConfig(context);
  const wanted = wantedOf(readPins(config), named, config, options);
  const moves: { before?: SuitePin; made: Awaited<ReturnType<typeof pinOf>> }[] = [];
  for (const one of wanted) moves.push(await newPin(context, config, one, options));
  for (const { made } of moves) {
    keepSuite(context, made.fetched);
    keepPin(config, made.pin);
  }
  const shown = moves.map(
    ({ before, made: { pin } }): PinMove => ({
      name: pin.name,
      ...(before && { from: before.version }),
      to: pin.version,
      digest: pin.digest,
    }),
  );
  writeResult(context, { pins: shown }, () => shown.map(lineOf).join(''));
  return 0;
}

const lineOf = ({ name, from, to }: PinMove): string =>
  from === to ? `  ${name} stays at ${to}\n` : `  ${name}  ${from ?? 'new'} → ${to}\n`;

type PinRequest = {
  readonly name: string;
  readonly range: string;
  readonly url: string;
  readonly before?: SuitePin;
};

function wantedOf(
  pins: readonly SuitePin[],
  named: readonly string[],
  { registries }: Config,
  { registry }: UpdateOptions,
): readonly PinRequest[] {
  if (named.length === 0 && pins.length === 0)
    throw new UsageError(
      'No suite is pinned here.',
      'A suite is pinned when it is first run: touchstone run acme.shop.evals.desk@^1 --registry <url>',
    );
  if (named.length === 0)
    return pins.map((before) => ({ ...before, url: registry ?? before.registry, before }));
  return named.map((text) => {
    const wanted = parseSuiteRange(text);
    if (!wanted)
      throw new UsageError(
        `${text} is no suite id with a version range.`,
        'For example: acme.shop.evals.desk@^2',
      );
    const before = pins.find(({ name }) => name === wanted.suiteId);
    const range = text.includes('@') ? wanted.range : (before?.range ?? '*');
    const url = registry ?? before?.registry ?? registries[0];
    if (url === undefined)
      throw new UsageError(
        `${wanted.suiteId} is not pinned, and there is no registry to look in.`,
        'Add --registry <url>.',
      );
    return { name: wanted.suiteId, range, url, ...(before && { before }) };
  });
}

async function newPin(
  context: Context,
  config: Config,
  { name, range, url, before }: PinRequest,
  { allowDowngrade }: UpdateOptions,
) {
  const registry = registryOf(url, config);
  if (before) {
    const standing = publishedAs(await registry.index(), name, before.version);
    if (standing) checkPinned({ ...before, registry: registry.url }, standing.digest);
  }
  const found = await findPublished([registry], name, range);
  const { version } = found.published;
  if (before && isLower(version, before.version) && !allowDowngrade)
    throw new HostError(
      'conflict',
      `${registry.url} offers ${name}@${version}, and ${before.version} is pinned. A registry that lost its newest versions may be an old copy. To go back all the same, add --allow-downgrade.`,
    );
  return { ...(before && { before }), made: await pinOf(context, config, found, range) };
}
