import { asId, HOST_OWNER, MODEL_CLASSES, type ModelName, type Owner } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import {
  type Config,
  createModels,
  createPaces,
  fillInParts,
  type Models,
  parseModelNames,
  parseProviders,
  systemClock,
} from '../../../../app/index.js';
import type { Io } from '../../../io.js';
import { broken, type Finding, ok, tried, warning, wordsOf } from './finding.js';

/** Whether each provider and each configured model could be asked. None is: an answer may cost money. */
export async function checkModels(config: Config, env: Io['env']): Promise<Finding[]> {
  const kinds = Object.entries(config.providers).map(([name, spec]) => [name, kindOf(spec)] as const);
  const named = namedModels(config);
  if (kinds.length + named.length === 0) return [];
  let models: Models;
  try {
    models = openModels(config, env);
  } catch (error) {
    return [broken('provider', wordsOf(error), 'Correct "providers" and the models in the configuration')];
  }
  const findings: Finding[] = [];
  for (const [name, kind] of kinds) findings.push(...(await checkProvider(models, config, name, kind)));
  for (const one of named) findings.push(await checkModel(models, one));
  models.close();
  return findings;
}

const kindOf = (spec: unknown): string => String((spec as { readonly kind?: unknown } | null)?.kind);

/** A model that a member of the configuration names, what it is for, and who asks it. */
type NamedModel = {
  readonly name: 'model' | 'judge' | 'embedder';
  readonly member: string;
  readonly model: string;
  readonly owner: Owner;
  /** What is worth knowing besides. */
  readonly more?: string;
};

function namedModels({
  modelClasses,
  models,
  judge,
  safety,
  embedder,
  agents,
}: Config): readonly NamedModel[] {
  const ofAgents = Object.entries({ modelClasses, models }).flatMap(([group, names]) =>
    Object.entries(names).map(([name, model]) => ({ member: `${group}.${name}`, model })),
  );
  const { votes = 1 } = judge ?? {};
  return [
    ...ofAgents.map((one) => ({ ...one, name: 'model' as const, owner: HOST_OWNER })),
    ...(judge?.model
      ? [judgeOf('judge.model', judge.model, votes > 1 ? `, ${plural(votes, 'vote')}` : '')]
      : []),
    ...(embedder ? [{ ...judgeOf('embedder.model', embedder.model, ''), name: 'embedder' as const }] : []),
    ...(safety?.judge ? [judgeOf('safety.judge', safety.judge, ', for safety')] : []),
    ...agents.flatMap(userOf),
  ];
}

/** Who plays the user for an agent is asked by the host itself, like a judge. */
function userOf({ agentId, run }: Config['agents'][number]): readonly NamedModel[] {
  const model = (run as { readonly user?: { readonly model?: unknown } }).user?.model;
  if (typeof model !== 'string') return [];
  return [{ name: 'model', member: `user.model of ${agentId}`, model, owner: HOST_OWNER }];
}

/** A judge is asked by the host itself, for whomever it judges. */
const judgeOf = (member: string, model: string, more: string): NamedModel => ({
  name: 'judge',
  member,
  model,
  owner: HOST_OWNER,
  more,
});

function openModels(config: Config, env: Io['env']): Models {
  const { providers, unset } = fillInParts(config, env);
  return createModels({
    providers: parseProviders(providers),
    unset: unset.providers,
    modelClasses: parseModelNames(config.modelClasses, '/modelClasses', MODEL_CLASSES),
    models: parseModelNames(config.models, '/models'),
    env,
    baseDir: config.baseDir,
    clock: systemClock,
    random: () => 0,
    paceOf: createPaces(systemClock),
    isOnlyTenant: () => true,
  });
}

/** Opening a model loads its package or script and looks for its credential; it is the asking that is left out. */
async function open(models: Models, owner: Owner, provider: string, model: string): Promise<void> {
  const pin = { provider: asId<ModelName>(provider), model: asId<ModelName>(model) };
  (await models.open(owner, pin)).close();
}

/** As the operator, who may use what is configured; which tenants may is told beside it. */
async function checkProvider(
  models: Models,
  { providers, keys }: Config,
  name: string,
  kind: string,
): Promise<readonly Finding[]> {
  const { tenants } = (providers[name] ?? {}) as { readonly tenants?: readonly string[] };
  const opened = await tried('provider', name, hintFor(kind), async () => {
    // A host of agents has no models to open; its address and credential are all there is to check.
    const endpoint = models.endpoint(HOST_OWNER, name);
    if (kind !== 'openwop') await open(models, HOST_OWNER, name, 'any');
    const key = endpoint?.credential === undefined ? '' : ', its credential is set';
    return `${name}: ${kind}${key}${tenants ? `, for ${tenants.join(', ')}` : ''}`;
  });
  const isShared = new Set(keys.map(({ tenant }) => tenant)).size > 1;
  return tenants || !isShared ? [opened] : [opened, notGranted(name)];
}

const notGranted = (name: string): Finding =>
  warning(
    'provider',
    `${name}: keys belong to several tenants, and none of them may use it`,
    `List them in "providers.${name}.tenants"`,
  );

const hintFor = (kind: string): string =>
  kind === 'scripted'
    ? 'Correct the script, or "path" of the provider in the configuration'
    : 'Set the variable, install the package, or correct the provider in the configuration';

async function checkModel(models: Models, named: NamedModel): Promise<Finding> {
  const { name, member, owner, more = '' } = named;
  const choice = models.choose(owner, { name: named.model });
  if (choice.kind === 'none') return broken(name, `${member}: ${choice.reason}`, `Correct "${member}"`);
  const { provider, model } = choice.pin;
  try {
    // Meanings are compared by an address; a script has none.
    if (name === 'embedder' && !models.endpoint(HOST_OWNER, provider))
      throw new Error(`provider "${provider}" is not asked over a network`);
    if (name !== 'embedder') await open(models, owner, provider, model);
    const mock = choice.mock ? ', a mock: its answers are evidence of nothing' : '';
    return (choice.mock ? warning : ok)(name, `${member}: ${provider}/${model}${more}${mock}`);
  } catch (error) {
    return broken(name, `${member}: ${wordsOf(error)}`, `Correct "${member}", or its provider`);
  }
}
