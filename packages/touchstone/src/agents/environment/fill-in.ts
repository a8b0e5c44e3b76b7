import { asId, child, type Issue, isObject, type Json, type VariableName } from '@touchstone/protocol';

/** The environment that a host was started with. */
export type Environment = { readonly [name: string]: string | undefined };

/** `$${` writes the two characters; `${NAME}` and `${NAME:-default}` stand for a variable; anything else is a mistake. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const MISTAKE = /(?<!\$)\$\{(?![A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\})/;
const NAMED = /(?<!\$)\$\{[A-Za-z_]/;

const valueIn = (env: Environment, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined;

export const namesVariable = (value: unknown): boolean => typeof value === 'string' && NAMED.test(value);

/** A value whose texts have their variables filled in, and the variables that are not set. Those stay as they are written. */
export type FillResult<T> = { readonly value: T; readonly unset: readonly string[] };

/** Fills variables of the environment into every text of a value. An empty variable counts as one that is not set. */
export function fillIn<T extends Json>(value: T, env: Environment): FillResult<T> {
  const unset = new Set<string>();
  const filled = mapTexts(value, (text) =>
    text.replaceAll(REFERENCE, (written, name?: string, fallback?: string) => {
      if (name === undefined) return '${';
      const found = valueIn(env, name) || fallback;
      if (found === undefined) unset.add(name);
      return found ?? written;
    }),
  );
  return { value: filled as T, unset: [...unset] };
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]));
}

/** What each text of a value says about variables, by its pointer. */
function textIssues(
  value: unknown,
  pointer: string,
  issueOf: (text: string) => string | undefined,
): readonly Issue[] {
  if (typeof value === 'string') {
    const message = issueOf(value);
    return message === undefined ? [] : [{ pointer, message }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => textIssues(item, child(pointer, name), issueOf));
}

/** Texts of the operator in which `${` begins no variable. */
export const referenceIssues = (value: unknown, pointer = ''): readonly Issue[] =>
  textIssues(value, pointer, (text) =>
    MISTAKE.test(text) ? 'expected ${NAME} or ${NAME:-default}; write $${ for the characters ${' : undefined,
  );

/** Texts of a tenant that name variables, which are not a tenant's to read. */
export const tenantReferenceIssues = (value: unknown, pointer = ''): readonly Issue[] =>
  textIssues(value, pointer, (text) =>
    NAMED.test(text) ? "only the operator's configuration may name environment variables" : undefined,
  );

/** The variables that the texts of a value name, and what they hold now. */
export function variablesIn(
  value: Json,
  env: Environment,
): readonly { readonly id: string; readonly value: string }[] {
  return variableNames(value).flatMap((id) => {
    const held = valueIn(env, id);
    return held ? [{ id, value: held }] : [];
  });
}

/** The variables that the texts of a value name, each once. */
function variableNames(value: Json): readonly string[] {
  const names = new Set<string>();
  mapTexts(value, (text) => {
    for (const [, name] of text.matchAll(REFERENCE)) if (name !== undefined) names.add(name);
    return text;
  });
  return [...names];
}

/** The variable that the key of a service is read from: the only one that its headers name. Of several it cannot be told. */
export function keyVariable(headers: { readonly [name: string]: string } = {}): VariableName | undefined {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization');
  const [name, ...more] = variableNames(authorization?.[1] ?? Object.values(headers));
  return name === undefined || more.length > 0 ? undefined : asId<VariableName>(name);
}

/** An entry of the configuration that lacks variables, and whom it is for. To others it is not there at all. */
export type Incomplete = { readonly variables: readonly string[]; readonly tenants?: readonly string[] };

/** For a person: which variables have to be set. */
export const needsVariables = (who: string, unset: readonly string[]): string =>
  unset.length === 1
    ? `${who} needs the environment variable ${unset[0]}, which is not set.`
    : `${who} needs the environment variables ${unset.join(', ')}, which are not set.`;
