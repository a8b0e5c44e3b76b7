import { basename } from 'node:path';
import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { createTaskIds, taskSlug } from '../../suites/index.js';
import { inside, textOf } from '../documents.js';
import type { ImportRequest, SourceFile, SourcePointer } from '../imported.js';
import { httpRun } from './http-provider.js';
import { modelOf, modelRun } from './models.js';
import type { Prompt } from './prompts.js';
import { execProvider, javascriptProvider, pythonProvider } from './provider-code.js';
import { asTemplate, render, renderDeep } from './templates.js';

/** What agents are made from. */
export type AgentParts = Pick<ImportRequest, 'items' | 'open'> & {
  readonly from: SourceFile;
  /** Name of the suite, which the ids of agents begin with. */
  readonly name: string;
  readonly prompts: readonly Prompt[];
  /** Inputs of all tests. */
  readonly inputs: readonly JsonObject[];
};

type Provider = {
  readonly at: SourcePointer;
  readonly id: string;
  readonly label: string;
  readonly entry: JsonObject;
};
type AgentRun = { readonly run: JsonObject; readonly providers?: JsonObject };
type Files = { [path: string]: string };

/** One agent for each prompt with each provider. */
export function readAgents(value: Json | undefined, at: SourcePointer, parts: AgentParts) {
  const files: Files = {};
  const ids = createTaskIds();
  const agents: JsonObject[] = [];
  const providers: { [name: string]: Json } = {};
  for (const provider of readProviders(value, at, parts))
    for (const prompt of promptsFor(provider, parts.prompts)) {
      const slug = ids(slugOf(provider, prompt, parts.prompts.length > 1));
      const built = runOf(provider, prompt, { ...parts, slug, files });
      if (!built) continue;
      agents.push({ agentId: `local.${parts.name}.${slug}`, version: '1.0.0', run: built.run });
      Object.assign(providers, built.providers);
    }
  return { agents, providers, files };
}

const slugOf = ({ label }: Provider, prompt: Prompt, several: boolean): string =>
  taskSlug(several ? `${label} ${prompt.label}` : label).slice(0, 60) || 'agent';

/** A text, an object with an id, or an object whose only member is the id. */
function readProviders(
  value: Json | undefined,
  at: SourcePointer,
  { items }: AgentParts,
): readonly Provider[] {
  const list = value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value];
  return list.flatMap((entry, index) => {
    const there = Array.isArray(value) ? inside(at, index) : at;
    if (typeof entry === 'string') return [{ at: there, id: entry, label: entry, entry: {} }];
    const read = isObject(entry) ? providerOf(entry) : undefined;
    if (!read) items.lost(there, 'provider of an unknown form');
    return read ? [{ at: there, ...read }] : [];
  });
}

function providerOf(entry: JsonObject): Omit<Provider, 'at'> | undefined {
  const [only = '', ...more] = Object.keys(entry);
  const { [only]: inner } = entry;
  if (more.length === 0 && only !== 'id' && isObject(inner)) return { id: only, label: only, entry: inner };
  const { id, label } = entry;
  return typeof id === 'string' ? { id, label: typeof label === 'string' ? label : id, entry } : undefined;
}

/** A provider may name the prompts that it is for. */
function promptsFor({ entry: { prompts } }: Provider, all: readonly Prompt[]): readonly Prompt[] {
  if (!Array.isArray(prompts)) return all;
  const chosen = all.filter(({ label }) => (prompts as readonly Json[]).includes(label));
  return chosen.length > 0 ? chosen : all;
}

type Making = AgentParts & { readonly slug: string; readonly files: Files };

function runOf(provider: Provider, prompt: Prompt, making: Making): AgentRun | undefined {
  const { id, at, entry } = provider;
  const { items } = making;
  if (entry.transform !== undefined) items.lost(inside(at, 'transform'), 'transform of a provider');
  const model = modelOf(id);
  if (model) return modelAgent(model, provider, prompt, making);
  if (/^https?(?::|$)/.test(id)) return serviceAgent(provider, prompt, making);
  if (id === 'echo') return echoAgent(prompt, making);
  const code = codeAgent(provider, prompt, making);
  if (code)
    items.changed(at, 'provider that is code: copied without what it imports', 'a program in agents/', READ);
  else items.lost(at, `provider ${id.split(/[:/]/)[0]}: nothing here stands for it`);
  return code;
}

const READ = 'Read it before you run it.';

const everywhere = ({ inputs: [first = {}, ...more] }: AgentParts): ReadonlySet<string> =>
  new Set(Object.keys(first).filter((name) => more.every((input) => Object.hasOwn(input, name))));

/** The template of a prompt; the item is added once for all its agents. */
function templateOf({ content, at }: Prompt, making: Making): string | readonly Json[] | undefined {
  const known = everywhere(making);
  const isText = typeof content === 'string';
  const texts = isText ? [content] : content.map((message) => JSON.stringify(message));
  const templates = texts.map((text) => asTemplate(text, known));
  if (templates.includes(undefined)) {
    making.items.lost(at, 'prompt: a template with more than names');
    return undefined;
  }
  return isText ? templates[0] : content.map((message) => mapContent(message, known));
}

const mapContent = (message: Json, known: ReadonlySet<string>): Json =>
  isObject(message) && typeof message.content === 'string'
    ? { ...message, content: asTemplate(message.content, known) ?? message.content }
    : message;

function modelAgent(
  model: NonNullable<ReturnType<typeof modelOf>>,
  { at, entry }: Provider,
  prompt: Prompt,
  making: Making,
): AgentRun | undefined {
  const template = templateOf(prompt, making);
  if (template === undefined) return undefined;
  const run = modelRun(model, entry.config, inside(at, 'config'), making.items);
  return {
    run: { ...run, ...promptMember(template, prompt, making) },
    ...(model.entry && { providers: { [model.provider]: model.entry } }),
  };
}

/** A text has a file of its own. Messages stand in the configuration: beside suites, a JSON file would be taken for one. */
function promptMember(template: string | readonly Json[], { label }: Prompt, { files }: Making): JsonObject {
  if (typeof template !== 'string') return { prompt: template };
  const path = `prompts/${taskSlug(label) || 'prompt'}.md`;
  files[path] = `${template}\n`;
  return { promptFile: `./${path}` };
}

function serviceAgent({ id, at, entry }: Provider, prompt: Prompt, making: Making): AgentRun | undefined {
  const config = isObject(entry.config) ? entry.config : {};
  const template = templateOf(prompt, making);
  if (typeof template !== 'string') return undefined;
  const url = typeof config.url === 'string' ? config.url : id;
  const { items } = making;
  const there = inside(at, 'config');
  const run = httpRun({ url, config, at: there, items, prompt: template, everywhere: everywhere(making) });
  return run && { run };
}

/** An agent that says what it was asked: prepared answers, one for each input. */
function echoAgent({ content, at }: Prompt, { inputs, files, slug, items }: Making): AgentRun | undefined {
  const replies = inputs.flatMap((input) => {
    const output = typeof content === 'string' ? render(content, input) : echoed(content, input);
    return output === undefined ? [] : [{ when: input, output }];
  });
  if (replies.length < inputs.length) {
    items.lost(at, 'prompt: a template with more than names');
    return undefined;
  }
  // JSON under another name: a file of that kind beside suites would be taken for one.
  const path = `agents/${slug}.replies`;
  files[path] = `${JSON.stringify({ replies }, null, 2)}\n`;
  return { run: { kind: 'scripted', path: `./${path}` } };
}

function echoed(messages: readonly Json[], input: JsonObject): string | undefined {
  const rendered = renderDeep(messages, input);
  return rendered === undefined ? undefined : JSON.stringify(rendered);
}

const FILE = /^(?:file:\/\/|python:|javascript:)?(.+?\.(?:([cm]?[jt]s)|py))(?::(\w+))?$/;

function codeAgent({ id, entry }: Provider, { content }: Prompt, making: Making): AgentRun | undefined {
  const { files, slug, open, from } = making;
  const prompt = typeof content === 'string' ? content : JSON.stringify(content);
  if (id.startsWith('exec:')) {
    const path = `agents/${slug}.mjs`;
    files[path] = execProvider(id.slice('exec:'.length).trim().split(/\s+/), prompt, entry.config);
    return { run: { kind: 'command', command: 'node', args: [path] } };
  }
  const [, named, isJavascript, name] = FILE.exec(id) ?? [];
  const [source] = named === undefined ? [] : open(named, from);
  if (!source) return undefined;
  const copy = basename(source.path);
  files[`agents/${copy}`] = textOf(source);
  const path = `agents/${slug}.${isJavascript === undefined ? 'py' : 'mjs'}`;
  if (isJavascript !== undefined) {
    files[path] = javascriptProvider(copy, prompt, entry.config);
    return { run: { kind: 'module', path: `./${path}` } };
  }
  files[path] = pythonProvider(copy, name ?? 'call_api', prompt, entry.config);
  return { run: { kind: 'python', path: `./${path}` } };
}
