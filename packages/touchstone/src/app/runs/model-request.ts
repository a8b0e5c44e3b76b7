import { defined, type Issue, isObject, type ModelParameters } from '@touchstone/protocol';
import { type ModelRequest, parameterIssues, parametersOf } from '../../agents/index.js';
import type { AgentFacts, AgentKind } from '../../ports/index.js';

type Configurable = { readonly [key: string]: unknown };

/** Kinds of agent whose model calls are made by this host. */
const ASKED_HERE: readonly AgentKind[] = ['manifest', 'openai'];

type ReadModelRequest = ModelRequest & { readonly cache: boolean; readonly issues: readonly Issue[] };

/**
 * What a caller wants of the model. For agents that bring their own model these members are theirs to read, and mean
 * nothing here; only the response cache and `parameters` are ours alone, and refused where they could not work.
 */
export function readModelRequest(
  configurable: Configurable,
  { kind: own, wraps, conversation }: Pick<AgentFacts, 'kind' | 'wraps' | 'conversation'>,
): ReadModelRequest {
  const kind = wraps?.kind ?? own;
  const issues: Issue[] = [];
  const refuse = (member: string, message: string): undefined =>
    void issues.push({ pointer: `/configurable/${member}`, message });
  const { cache } = configurable;
  if (cache !== undefined && typeof cache !== 'boolean') refuse('cache', 'Expected true or false.');
  if (!ASKED_HERE.includes(kind)) {
    if (configurable.parameters !== undefined)
      refuse('parameters', `Agents of kind ${kind} ask their models themselves. Leave the member out.`);
    // The model that plays the user is asked here, whoever answers it.
    if (conversation?.hasUser) return { cache: cache === true, issues };
    if (cache === true)
      refuse(
        'cache',
        `Agents of kind ${kind} ask their models themselves, so answers cannot be remembered here.`,
      );
    return { cache: false, issues };
  }
  if (configurable.mockProvider !== undefined)
    refuse('mockProvider', 'This host does not offer it. Leave the member out.');
  const name = readName(configurable, refuse);
  const temperature = readNumber(configurable, 'temperature', { min: 0, max: 2 }, refuse);
  const maxTokens = readNumber(
    configurable,
    'maxTokens',
    { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true },
    refuse,
  );
  const parameters = readParameters(configurable.parameters, issues);
  return { ...defined({ name, temperature, maxTokens }), ...parameters, cache: cache === true, issues };
}

/** `parameters` has the names that agents of the configuration have; it goes before the two that stand beside it. */
function readParameters(value: unknown, issues: Issue[]): ModelParameters {
  if (value === undefined) return {};
  const found = parameterIssues(value, '/configurable/parameters');
  issues.push(...found);
  return found.length > 0 ? {} : parametersOf(value as Parameters<typeof parametersOf>[0]);
}

type Refuse = (member: string, message: string) => undefined;

/** `model` is a configured name or `provider/model`; `ai.provider` with `ai.model` says the same in two members. */
function readName({ model, ai }: Configurable, refuse: Refuse): string | undefined {
  if (ai !== undefined && !isObject(ai)) return refuse('ai', 'Expected an object with provider and model.');
  const asked = (ai ?? {}) as Configurable;
  if (asked.credentialRef !== undefined)
    refuse('ai/credentialRef', 'Credentials are those of the configured providers. Leave the member out.');
  for (const member of Object.keys(asked).filter((name) => !AI_MEMBERS.includes(name)))
    refuse(
      `ai/${member}`,
      'This member has no effect here. Known are provider and model; the rest stands beside "ai".',
    );
  if (asked.provider !== undefined || asked.model !== undefined) {
    if (typeof asked.provider === 'string' && typeof asked.model === 'string')
      return named(`${asked.provider}/${asked.model}`, 'ai', refuse);
    return refuse('ai', 'Expected both provider and model, each a string.');
  }
  if (model === undefined) return undefined;
  if (typeof model === 'string') return named(model, 'model', refuse);
  return refuse('model', 'Expected a configured model, such as local/small-1.');
}

const AI_MEMBERS = ['provider', 'model', 'credentialRef'];
/** It stands in content-free events, so it has to be a name. */
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._:/@+-]{0,255}$/;

const named = (name: string, member: string, refuse: Refuse): string | undefined =>
  MODEL_NAME.test(name)
    ? name
    : refuse(member, 'Expected a name of at most 256 letters, digits and ._:/@+-, such as local/small-1.');

function readNumber(
  configurable: Configurable,
  member: string,
  { min, max, whole = false }: { readonly min: number; readonly max: number; readonly whole?: boolean },
  refuse: Refuse,
): number | undefined {
  const value = configurable[member];
  if (value === undefined) return undefined;
  const fits =
    typeof value === 'number' && value >= min && value <= max && (!whole || Number.isSafeInteger(value));
  if (fits) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return refuse(member, `Expected a ${whole ? 'whole ' : ''}number ${range}.`);
}
