import type { ContractReport } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { expect } from 'vitest';
import type {
  ModelAction,
  ModelRequest,
  ModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { INVOICES, POLICIES } from '../../packages/touchstone/src/profiles/definition/testing/definitions.js';
import { parseYaml } from '../../packages/touchstone/src/suites/text/yaml.js';
import { resultOf, type Turn } from './judge-host.js';
import { type Evaluated, readJson, startModelServer, startToolServer, type ToolServer } from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// A host with an agent of the turn protocol, and one address that is judge, embedder and model: all on loopback, all
// counted, all doing as the test says. Definitions are those of the format's own description.

type Members = { readonly [member: string]: unknown };

export const INVOICE_AGENT = 'local.northwind.invoices';
export const INVOICE_SUITE = 'local.northwind-finance.evals.invoice-triage';
export const POLICY_AGENT = 'local.hr.policies';
export const POLICY_SUITE = 'local.local.evals.policy-summariser';
export const EMBED_MODEL = 'embed-1';

export const invoices = (): Members => JSON.parse(INVOICES) as Members;
export const policies = (): Members => parseYaml(POLICIES).value as Members;
export const INVOICE_ROWS = [
  {
    id: 'inv-001',
    input: { text: 'PO 4471 matched, total 1299.00 EUR' },
    expected: { queue: 'pay', amount_minor: 129_900 },
  },
  {
    id: 'inv-002',
    input: { text: 'Total 80.00 EUR, supplier not on file' },
    expected: { queue: 'review', amount_minor: 8_000 },
  },
];

/** The invoice agent with another version and another profile, and nothing else changed. */
export function invoicesWith(evaluation: Members, version = '1.2.0'): Members {
  const definition = invoices() as { readonly metadata: Members } & Members;
  return { ...definition, metadata: { ...definition.metadata, version }, status: 'draft', evaluation };
}

/** The same for the policy agent. */
export function policiesWith(evaluation: Members, version = '0.3.0'): Members {
  const manifest = policies() as { readonly metadata: Members } & Members;
  const { 'policy-summariser': agent } = manifest.definitions as { readonly [id: string]: Members };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, version },
    definitions: { 'policy-summariser': { ...agent, evaluation } },
  };
}

export type Answer = (input: Members, turn: Turn) => object;
/** Answers what it is asked to. */
export const obeys: Answer = ({ say }) => ({ output: say });

/** Says how far a criterion is met, or does something else than to judge. */
export type Judge = (asked: {
  readonly model: string;
  readonly sentence: string;
  readonly answer: unknown;
}) => number | ModelAction;
export type Embed = (text: string) => readonly number[];
type HostOptions = {
  readonly answer?: Answer;
  readonly judge?: Judge;
  /** What the judge gives as its reason. */
  readonly reason?: string;
  readonly embed?: Embed | ModelAction;
  /** What a model says that is neither judge nor embedder. */
  readonly model?: (request: ModelRequest) => string;
  readonly config?: object;
  readonly files?: { readonly [name: string]: string };
};
export type ProfileHost = {
  readonly host: WholeHost;
  readonly agent: ToolServer;
  readonly models: ModelServer;
  /** What was asked of a model of this name. */
  askedOf(model: string): readonly ModelRequest[];
  /** Calls of agent and models so far. */
  calls(): number;
  close(): Promise<void>;
};

export async function openProfileHost(options: HostOptions = {}): Promise<ProfileHost> {
  const { answer = obeys } = options;
  const agent = await startToolServer((turn) => {
    const { input } = turn as Turn;
    return { usage: [USAGE], ...answer(input as Members, turn as Turn) };
  });
  const models = await startModelServer((request) => actAs(request, options));
  const host = await openWholeHost(
    {
      providers: { local: { kind: 'openai-compatible', baseUrl: models.baseUrl, tenants: ['acme'] } },
      prices: { 'local/judge-1': { inputPerMTok: 1_000, outputPerMTok: 10_000 } },
      models: { 'judge-large-2': 'local/judge-1' },
      agents: [INVOICE_AGENT, POLICY_AGENT].flatMap((agentId) =>
        ['1.0.0', '2.0.0'].map((version) => ({ agentId, version, run: { kind: 'http', url: agent.url } })),
      ),
      ...options.config,
    },
    options.files ? { files: options.files } : {},
  );
  return {
    host,
    agent,
    models,
    askedOf: (model) => models.requests.filter(({ body }) => body.model === model),
    calls: () => agent.requests.length + models.requests.length,
    async close() {
      await host.close();
      await Promise.all([agent.close(), models.close()]);
    },
  };
}
const USAGE = { provider: 'other', model: 'worker', inputTokens: 5, outputTokens: 5, costUsd: 0.25 };

function actAs(request: ModelRequest, options: HostOptions): ModelAction {
  const { embed = EQUAL, model } = options;
  if (request.path.endsWith('/embeddings'))
    return typeof embed === 'function' ? embeddings(request, embed) : embed;
  const [first] = request.body.messages;
  return String(first?.content).startsWith('You judge')
    ? judgement(request, options)
    : { say: model?.(request) ?? '' };
}
const EQUAL: Embed = () => [1, 0];

function judgement(
  request: ModelRequest,
  { judge = () => 1, reason = 'so it is' }: HostOptions,
): ModelAction {
  const { criteria, answer } = questionIn(request);
  const opinions = criteria.map(({ sentence }) => judge({ model: request.body.model, sentence, answer }));
  const other = opinions.find((opinion) => typeof opinion !== 'number');
  if (other !== undefined) return other;
  const verdicts = criteria.map(({ graded }, index) => {
    const score = opinions[index] as number;
    return { criterion: index + 1, reason, met: score >= 0.5, ...(graded && { score }) };
  });
  return { say: JSON.stringify({ verdicts }) };
}

/** What a judge is asked. The data stands above the criteria, each on a line. */
export function questionIn({ body }: ModelRequest) {
  const [data = '', list = ''] = String(body.messages[1]?.content).split('\nCriteria:\n');
  const criteria = list.split('\n').map((line) => {
    const [, graded, sentence = ''] = /^\d+\. (\(graded\) )?(".*")$/.exec(line) ?? [];
    return { sentence: JSON.parse(sentence) as string, graded: graded !== undefined };
  });
  return { criteria, answer: JSON.parse(data.split('\n')[4] ?? '') as unknown };
}

function embeddings({ body }: ModelRequest, embed: Embed): ModelAction {
  const data = (body.input as readonly string[]).map((text, index) => ({ index, embedding: embed(text) }));
  return { status: 200, body: JSON.stringify({ data, usage: { prompt_tokens: 4, total_tokens: 4 } }) };
}

export const compile = (host: WholeHost, body: object, key?: string) =>
  readJson(host, '/v1/host/touchstone/profiles:compile', {
    method: 'POST',
    body,
    ...(key !== undefined && { key }),
  });
export async function install(host: WholeHost, body: object): Promise<string> {
  const installed = await compile(host, { ...body, install: true });
  expect(installed).toMatchObject({ status: 201 });
  return installed.body.suiteRef as string;
}

type RunOptions = { readonly agentId?: string; readonly configurable?: object };
export const createRun = (host: WholeHost, evalSuiteRef: string, wish: RunOptions = {}) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: {
      mode: 'eval',
      evalSuiteRef,
      agentId: wish.agentId ?? INVOICE_AGENT,
      configurable: { allowTargetMismatch: true, ...wish.configurable },
    },
  });
export async function evaluated(host: WholeHost, suiteRef: string, wish?: RunOptions): Promise<Evaluated> {
  const created = await createRun(host, suiteRef, wish);
  expect(created).toMatchObject({ status: 201 });
  return resultOf(host, created.body.runId as string);
}
export async function readContractReport(host: WholeHost, runId: string): Promise<ContractReport> {
  const { status, body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/contract-report`);
  expect(schemaIssues(vendor.contractReport, body)).toEqual([]);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as unknown as ContractReport;
}

export type Refusal = {
  readonly error: string;
  readonly message: string;
  readonly details: {
    readonly code?: string;
    readonly issues?: readonly {
      readonly pointer: string;
      readonly message: string;
      readonly line?: number;
    }[];
    readonly [member: string]: unknown;
  };
};
