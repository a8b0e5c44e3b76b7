import type { Issue, JsonObject } from '@touchstone/protocol';
import {
  type AnyObject,
  choice,
  closed,
  constant,
  integer,
  issueAt,
  number,
  object,
  ruled,
  schemaIssues,
  type Wire,
} from '@touchstone/protocol/schema';
import { passEnv } from '../environment/hand-over.js';
import { mappingIssues, mappingMembers } from './mapping.js';
import { commandArguments, filled, headers, modelName, textMap, timeoutMs, webUrl } from './members.js';
import { parameters } from './parameters.js';
import { prompt } from './prompt.js';
import { turnCount } from './turn-count.js';

/**
 * Who wrote a spec. The operator owns the machine; a tenant only gets as far as a guarded URL; from a pack comes a
 * prompt and nothing that could be run or reached.
 */
export type SpecSource = 'operator' | 'tenant' | 'pack' | 'definition';
/** Scorers are programs too, and only the operator has any. */
type RunSource = SpecSource | 'scorer';

const systemPrompt = filled(256 * 1024);

/** Where an endpoint is and what opens it: an address of its own, or a configured provider with its credential. */
const endpoint = {
  /** Where it is asked; absent when `provider` says so. */
  baseUrl: webUrl,
  /** A configured provider, whose address and credential are used. The only credential a tenant can name. */
  provider: filled(64),
  apiKeyEnv: filled(256),
};

const has = (members: AnyObject, name: string): boolean => members[name] !== undefined;

const endpointIssues = (run: AnyObject): readonly Issue[] => [
  ...issueAt(
    '/baseUrl',
    has(run, 'baseUrl') === has(run, 'provider') &&
      'expected either baseUrl, or provider with the name of a configured provider',
  ),
  ...issueAt(
    '/apiKeyEnv',
    has(run, 'provider') &&
      has(run, 'apiKeyEnv') &&
      "a provider's credential is its own; leave this member out",
  ),
];

const promptIssues = (run: AnyObject): readonly Issue[] =>
  issueAt(
    '/promptFile',
    has(run, 'prompt') && has(run, 'promptFile') && 'expected either prompt or promptFile, not both',
  );

/** Node alone takes some fifty megabytes. */
const memoryMb = integer(undefined, { minimum: 128, maximum: 1_048_576 });

const processes = integer(undefined, { minimum: 1, maximum: 64 });

const packedPrompt = closed({ kind: constant('manifest'), systemPrompt }, { timeoutMs });

const SHAPES = {
  module: closed({ kind: constant('module'), path: filled() }, { export: filled(256), memoryMb, timeoutMs }),
  command: ruled(
    closed(
      { kind: constant('command'), command: filled() },
      {
        args: commandArguments,
        cwd: filled(),
        env: textMap,
        passEnv,
        protocol: choice(['lines']),
        processes,
        timeoutMs,
      },
    ),
    processIssues,
  ),
  /** A function of a Python file, in processes that live as long as the agent is open. */
  python: closed(
    { kind: constant('python'), path: filled() },
    { export: filled(256), python: filled(), env: textMap, passEnv, processes, timeoutMs },
  ),
  /** With a mapping, a service as it is; without, one that speaks the turn protocol. */
  http: ruled(
    closed({ kind: constant('http'), url: webUrl }, { headers, ...mappingMembers, timeoutMs }),
    mappingIssues,
  ),
  scripted: closed({ kind: constant('scripted'), path: filled() }, { timeoutMs }),
  /** Answers that were given elsewhere, by task. */
  recorded: closed({ kind: constant('recorded'), path: filled() }),
  /** A chat endpoint that is itself the agent. */
  openai: ruled(
    closed(
      { kind: constant('openai'), model: modelName },
      { ...endpoint, system: systemPrompt, prompt, promptFile: filled(), parameters, timeoutMs },
    ),
    (run) => [...endpointIssues(run), ...promptIssues(run)],
  ),
  /** An agent on another OpenWOP host. */
  openwop: ruled(
    closed({ kind: constant('openwop'), agentId: filled(256) }, { ...endpoint, timeoutMs }),
    endpointIssues,
  ),
  /** Talks to another agent, turn by turn. With `user`, a model plays the user of tasks that say what it wants. */
  conversation: closed(
    { kind: constant('conversation'), agent: filled(512) },
    { user: closed({ model: filled(256) }, { parameters }), maxTurns: turnCount },
  ),
  /** A prompt that came in a pack, whose model is chosen by its class; or in a definition, which may name the model. */
  manifest: closed(
    { kind: constant('manifest'), systemPrompt },
    { model: filled(256), temperature: number(undefined, { minimum: 0, maximum: 2 }), timeoutMs },
  ),
};

/** A command is started anew for every turn, unless it reads line after line. */
function processIssues(run: AnyObject): readonly Issue[] {
  if (!has(run, 'processes') || run.protocol === 'lines') return [];
  return [
    {
      pointer: '/processes',
      message: 'expected "protocol": "lines" beside it; without, each turn has a process of its own',
    },
  ];
}

type Kind = keyof typeof SHAPES;
type RunOf<K extends Kind> = Wire<(typeof SHAPES)[K]>;
export type ModuleRun = RunOf<'module'>;
export type CommandRun = RunOf<'command'>;
export type PythonRun = RunOf<'python'>;
export type HttpRun = RunOf<'http'>;
export type ScriptedRun = RunOf<'scripted'>;
export type RecordedRun = RunOf<'recorded'>;
export type OpenaiRun = RunOf<'openai'>;
export type OpenwopRun = RunOf<'openwop'>;
export type ConversationRun = RunOf<'conversation'>;
export type ManifestRun = RunOf<'manifest'>;
/** A function of the program that this host is part of, by the name it was handed over with. Never from a document. */
export type FunctionRun = { readonly kind: 'function'; readonly name: string; readonly timeoutMs?: number };
export type RunSpec = { [K in Kind]: RunOf<K> }[Kind] | FunctionRun;

/** Kinds of agent that are code of this machine, and so may be made of more files than can be found. */
const PROGRAMS: readonly unknown[] = ['module', 'command', 'python'] satisfies Kind[];
export const isProgram = ({ kind }: { readonly kind?: unknown }): boolean => PROGRAMS.includes(kind);

export const DEFAULT_TIMEOUT_MS = 60_000;

const KINDS: { readonly [from in RunSource]: readonly Kind[] } = {
  operator: [
    'module',
    'command',
    'python',
    'http',
    'openai',
    'openwop',
    'scripted',
    'recorded',
    'conversation',
  ],
  scorer: ['module', 'command', 'python'],
  tenant: ['http', 'openai', 'openwop'],
  pack: ['manifest'],
  definition: ['manifest'],
};

/** These run code or read files and secrets of the machine, which are not a tenant's to name. */
const OPERATOR_ONLY = new Set(
  'path export command args cwd env passEnv apiKeyEnv memoryMb python processes protocol promptFile'.split(
    ' ',
  ),
);
const isOperators = (from: RunSource): boolean => from === 'operator' || from === 'scorer';

/** JSON Schemas of every `run` that a configuration may hold. */
export const operatorRuns = (): JsonObject[] =>
  KINDS.operator.map((kind) => JSON.parse(JSON.stringify(SHAPES[kind])) as JsonObject);

/** What is wrong with the `run` of a spec. */
export function runIssues(run: AnyObject, from: RunSource): readonly Issue[] {
  const isRefused = (name: string) => !isOperators(from) && OPERATOR_ONLY.has(name) && has(run, name);
  const refused = Object.keys(run)
    .filter(isRefused)
    .map((name) => ({
      pointer: `/${name}`,
      message: "only the operator's configuration may set this member",
    }));
  const rest = Object.fromEntries(Object.entries(run).filter(([name]) => !isRefused(name)));
  const kind = schemaIssues(object({ kind: choice(KINDS[from]) }), rest);
  if (kind.length > 0) return [...kind, ...refused];
  const shape = from === 'pack' ? packedPrompt : SHAPES[rest.kind as Kind];
  return [...schemaIssues(shape, rest), ...refused];
}
