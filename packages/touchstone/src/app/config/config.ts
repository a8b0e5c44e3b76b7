import { dirname, resolve } from 'node:path';
import { type Issue, isObject, validationError } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { type Environment, fillIn, needsVariables } from '../../agents/index.js';
import { hashKey, keyIdOf, type Roles } from '../principal.js';
import { type ConfigSource, findConfigFile, readConfigFile } from './config-file.js';
import { partIssues } from './config-parts.js';
import { configShape } from './config-shape.js';
import type { Config, ConfigInput } from './config-types.js';
import { completeGates, gateIssues } from './gates.js';
import { asVariable } from './store-address.js';
import { completeTenantLimits } from './tenant-limits.js';
import { proxyIssues } from './trusted-proxies.js';

export type { Config, ConfigInput } from './config-types.js';

const DEFAULT_ROLES: Roles = {
  admin: ['*'],
  runner: ['runs:create', 'runs:read', 'runs:cancel', 'suites:write', 'agents:write'],
  releaser: ['deploy:promote', 'deploy:rollback', 'deploy:pause', 'runs:read'],
  operator: ['host:usage', 'metrics:read'],
};
const MIB = 1024 * 1024;
const DEFAULT_LIMITS = {
  maxRequestBodyBytes: 16 * MIB,
  maxBodyValues: 50_000,
  maxUnreadBytes: 256 * MIB,
  requestsPerMinute: 6_000,
};

/** Reads the named config, or the one in `cwd`, or none. Throws `validation_error` with everything that is wrong. */
export async function loadConfig(
  path: string | undefined,
  cwd: string,
  env: Environment = {},
): Promise<Config> {
  const file = path === undefined ? await findConfigFile(cwd) : resolve(cwd, path);
  if (file === undefined) return completeConfig({}, cwd);
  return configFrom(await readConfigFile(file), file, env);
}

/** The config in a file that has been read. */
export function configFrom(source: ConfigSource, file: string, env: Environment = {}): Config {
  const { value, unset } = withStore(source.value, env);
  const { misshapen, troubles } = configIssues(value, dirname(file));
  const wrong = [...unset, ...misshapen];
  if (wrong.length > 0) throw validationError(source.locate([...wrong, ...troubles]), { file });
  const config = completeConfig(value as ConfigInput, dirname(file));
  return { ...config, file, troubles: source.locate(troubles) };
}

/** The store is used by everything, so its variables are filled in at once; those of other parts when they are used. */
function withStore(
  value: unknown,
  env: Environment,
): { readonly value: unknown; readonly unset: readonly Issue[] } {
  if (!isObject(value) || typeof value.store !== 'string') return { value, unset: [] };
  const { value: store, unset } = fillIn(asVariable(value.store), env);
  if (unset.length === 0) return { value: { ...value, store }, unset: [] };
  const { store: _, ...rest } = value;
  return { value: rest, unset: [{ pointer: '/store', message: needsVariables('The store', unset) }] };
}

/** A config from a value, for tests and for hosts that are set up by a program. */
export function parseConfig(value: unknown, baseDir: string): Config {
  const { misshapen, troubles } = configIssues(value, baseDir);
  if (misshapen.length > 0) throw validationError([...misshapen, ...troubles]);
  return { ...completeConfig(value as ConfigInput, baseDir), troubles };
}

type ConfigIssues = { readonly misshapen: readonly Issue[]; readonly troubles: readonly Issue[] };

function configIssues(value: unknown, baseDir: string): ConfigIssues {
  const misshapen = schemaIssues(configShape, value);
  if (misshapen.some(({ pointer }) => pointer === '')) return { misshapen, troubles: [] };
  const sound = soundMembers(value as ConfigInput, misshapen);
  const gates = gateIssues(sound.gates ?? [], { ...DEFAULT_ROLES, ...sound.roles });
  const wrong = [...misshapen, ...keyIssues(sound), ...gates, ...proxyIssues(sound.trustedProxies ?? [])];
  return { misshapen: wrong, troubles: partIssues(sound, baseDir) };
}

/** The members whose shape is right, so that the rest of what is wrong can be told along with it. */
function soundMembers(input: ConfigInput, misshapen: readonly Issue[]): ConfigInput {
  const wrong = new Set(misshapen.map(({ pointer }) => pointer.split('/')[1]));
  // Keys and gates are held against the roles.
  if (wrong.has('roles')) {
    wrong.add('keys');
    wrong.add('gates');
  }
  return Object.fromEntries(Object.entries(input).filter(([member]) => !wrong.has(member)));
}

/** What a shape cannot say about keys: exactly one secret or hash, and roles that exist. */
function keyIssues(config: ConfigInput): readonly Issue[] {
  const roles = { ...DEFAULT_ROLES, ...config.roles };
  return (config.keys ?? []).flatMap((key, index) => {
    const pointer = `/keys/${index}`;
    const one = (key.key === undefined) !== (key.keyHash === undefined);
    const secret = one ? [] : [{ pointer, message: 'expected exactly one of "key" and "keyHash"' }];
    const unknownRoles = key.roles.flatMap((role, at) =>
      Object.hasOwn(roles, role)
        ? []
        : [
            {
              pointer: `${pointer}/roles/${at}`,
              message: `no such role; known are ${Object.keys(roles).join(', ')}`,
            },
          ],
    );
    return [...secret, ...unknownRoles];
  });
}

function completeConfig(input: ConfigInput, baseDir: string): Config {
  return {
    baseDir,
    keys: (input.keys ?? []).map(completeKey),
    roles: { ...DEFAULT_ROLES, ...input.roles },
    prices: input.prices ?? {},
    agents: input.agents ?? [],
    tools: input.tools ?? [],
    providers: input.providers ?? {},
    mcpServers: input.mcpServers ?? {},
    scorers: input.scorers ?? {},
    trust: input.trust ?? {},
    modelClasses: input.modelClasses ?? {},
    models: input.models ?? {},
    ...(input.judge && { judge: input.judge }),
    judges: input.judges ?? [],
    ...(input.embedder && { embedder: input.embedder }),
    ...(input.safety && { safety: input.safety }),
    regression: { tolerance: 0, ...input.regression },
    datasets: input.datasets ?? {},
    packs: input.packs ?? [],
    suites: input.suites ?? [],
    registries: input.registries ?? [],
    ...(input.store !== undefined && { store: input.store }),
    ...(input.publicUrl !== undefined && { publicUrl: input.publicUrl.replace(/\/+$/, '') }),
    trustedProxies: input.trustedProxies ?? [],
    evalSuite: completeEvalSuite(input.evalSuite),
    page: input.page !== false && { origins: [], insecure: false, ...input.page },
    gates: completeGates(input.gates ?? []),
    egress: { allowHosts: [], allowPrivate: false, dnsServers: [], ...input.egress },
    limits: {
      ...DEFAULT_LIMITS,
      ...input.limits,
      perTenant: completeTenantLimits(input.limits?.perTenant),
    },
    retention: input.retention ?? {},
    telemetry: { otel: false, content: false, ...input.telemetry },
    audit: input.audit ?? {},
    troubles: [],
  };
}

/** An empty list of modes says no more than none at all: every implemented mode. Switching off is `false`. */
function completeEvalSuite(input: ConfigInput['evalSuite'] = {}): Config['evalSuite'] {
  if (input === false) return false;
  const { modes, ...rest } = input;
  return modes === undefined || modes.length === 0 ? rest : { ...rest, modes };
}

function completeKey(key: NonNullable<ConfigInput['keys']>[number]): Config['keys'][number] {
  const keyHash = key.keyHash ?? hashKey(key.key ?? '');
  const { tenant, workspace = 'main', principal = `key-${keyIdOf(keyHash)}`, roles } = key;
  return { keyHash, tenant, workspace, principal, roles };
}
