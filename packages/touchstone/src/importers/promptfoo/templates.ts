import { isObject, type Json, type JsonObject } from '@touchstone/protocol';

const PLACEHOLDER = /\{\{-?\s*([A-Za-z_$][\w$]*(?:\.[\w$]+|\[\d+\]|\[["'][^"']*["']\])*)\s*-?\}\}/g;
/** Filters, conditions, loops and comments of Nunjucks: code that is not run here. */
const CODE = /\{\{|\{%|\{#/;

/** What promptfoo fills in from the environment. What stands there is not the suite's to know. */
const ENVIRONMENT = /\{\{-?\s*env\b/;

/** Whether a text needs more than names. A variable may be called like the environment. */
const needsMore = (text: string, isVariable: (name: string) => boolean): boolean =>
  CODE.test(text.replace(PLACEHOLDER, '')) || (ENVIRONMENT.test(text) && !isVariable('env'));

/** A text with the variables of a test filled in; undefined when it needs more than names. */
export function render(text: string, vars: JsonObject): string | undefined {
  if (needsMore(text, (name) => Object.hasOwn(vars, name))) return undefined;
  return text.replace(PLACEHOLDER, (_, path: string) => asText(valueAt(path, vars)));
}

/** The same in every text of a value. */
export function renderDeep(value: Json, vars: JsonObject): Json | undefined {
  if (typeof value === 'string') return render(value, vars);
  if (Array.isArray(value)) return all((value as readonly Json[]).map((one) => renderDeep(one, vars)));
  if (!isObject(value)) return value;
  const members = all(Object.values(value).map((one) => renderDeep(one, vars)));
  return members && Object.fromEntries(Object.keys(value).map((name, at) => [name, members[at] as Json]));
}

const all = (values: readonly (Json | undefined)[]): readonly Json[] | undefined =>
  values.includes(undefined) ? undefined : (values as readonly Json[]);

function valueAt(path: string, vars: JsonObject): Json | undefined {
  const steps = path.split(/\.|\[["']?|["']?\]/).filter((step) => step !== '');
  let value: Json | undefined = vars;
  for (const step of steps) {
    const members: { readonly [name: string]: Json } | undefined =
      typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
    value = members && Object.hasOwn(members, step) ? members[step] : undefined;
  }
  return value;
}

/** Nunjucks writes nothing for what is missing. */
const asText = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** Names that mean something else in templates here. */
const RESERVED: ReadonlySet<string> = new Set(['input', 'messages', 'last', 'memory', 'conversationId']);

/**
 * The same template in the words of this host. A name that not every test has is written as nothing, as there. Undefined when
 * it needs more than names.
 */
export function asTemplate(text: string, everywhere: ReadonlySet<string>): string | undefined {
  if (needsMore(text, (name) => everywhere.has(name))) return undefined;
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const steps = path.split(/\.|\[["']?|["']?\]/).filter((step) => step !== '');
    const [first = ''] = steps;
    const names = RESERVED.has(first) ? ['input', ...steps] : steps;
    const otherwise = everywhere.has(first) && steps.length === 1 ? '' : ' | default("")';
    return `{{ ${names.join('.')}${otherwise} }}`;
  });
}
