import { asId, MODEL_CLASSES, type ModelName } from '@touchstone/contract';
import type { Config, Models } from '../../host/in-process.js';
import type { Io } from '../io.js';
import { LOCAL_OWNER } from '../local.js';
import { broken, type Finding, ok, warning, wordsOf } from './finding.js';

/** Whether each provider and each configured model could be asked. None is: an answer may cost money. */
export async function checkModels(config: Config, env: Io['env']): Promise<Finding[]> {
  const kinds = Object.entries(config.providers).map(([name, spec]) => [name, kindOf(spec)] as const);
  const names = { ...prefixed('modelClasses', config), ...prefixed('models', config) };
  if (kinds.length + Object.keys(names).length === 0) return [];
  let models: Models;
  try {
    models = await openModels(config, env);
  } catch (error) {
    return [broken('provider', wordsOf(error), 'Correct "providers" and the models in the configuration')];
  }
  const findings: Finding[] = [];
  for (const [name, kind] of kinds) findings.push(await checkProvider(models, name, kind));
  for (const [member, model] of Object.entries(names)) findings.push(await checkModel(models, member, model));
  models.close();
  return findings;
}

const kindOf = (spec: unknown): string => String((spec as { readonly kind?: unknown } | null)?.kind);

const prefixed = (member: 'modelClasses' | 'models', config: Config): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(config[member]).map(([name, model]) => [`${member}.${name}`, model]));

async function openModels(config: Config, env: Io['env']): Promise<Models> {
  const { createModels, createPaces, parseModelNames, parseProviders, systemClock } = await import(
    '../../host/in-process.js'
  );
  return createModels({
    providers: parseProviders(config.providers),
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
async function open(models: Models, provider: string, model: string): Promise<void> {
  const pin = { provider: asId<ModelName>(provider), model: asId<ModelName>(model) };
  (await models.open(LOCAL_OWNER, pin)).close();
}

async function checkProvider(models: Models, name: string, kind: string): Promise<Finding> {
  try {
    // A host of agents has no models to open; its address and credential are all there is to check.
    const endpoint = models.endpoint(LOCAL_OWNER, name);
    if (kind !== 'openwop') await open(models, name, 'any');
    const key = endpoint?.credential === undefined ? '' : ', its credential is set';
    return ok('provider', `${name}: ${kind}${key}`);
  } catch (error) {
    return broken('provider', `${name}: ${wordsOf(error)}`, hintFor(kind));
  }
}

const hintFor = (kind: string): string =>
  kind === 'scripted'
    ? 'Correct the script, or "path" of the provider in the configuration'
    : 'Set the variable, install the package, or correct the provider in the configuration';

async function checkModel(models: Models, member: string, model: string): Promise<Finding> {
  const choice = models.choose(LOCAL_OWNER, { name: model });
  if (choice.kind === 'none') return broken('model', `${member}: ${choice.reason}`, `Correct "${member}"`);
  const { provider, model: name } = choice.pin;
  try {
    await open(models, provider, name);
    const mock = choice.mock ? ', a mock: its answers are evidence of nothing' : '';
    return (choice.mock ? warning : ok)('model', `${member}: ${provider}/${name}${mock}`);
  } catch (error) {
    return broken('model', `${member}: ${wordsOf(error)}`, `Correct "${member}", or its provider`);
  }
}
