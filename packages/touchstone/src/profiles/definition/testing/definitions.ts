import { type Issue, isHostError } from '@touchstone/protocol';

/** A whole form A definition, in JSON. */
export const INVOICES = `{
  "metadata": {"id": "7d0c1f3e-5b7a-4c1e-9a52-2f1f0c7a9b10", "version": "1.2.0", "name": "Invoice Triage",
    "author": "Northwind Finance", "created_at": "2026-03-04T09:30:00Z", "requires_auth": false},
  "capabilities": [{"name": "triage", "type": "atomic", "description": "Route one invoice.",
    "inputs": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
    "outputs": {"type": "object", "required": ["queue", "amount_minor"], "additionalProperties": false,
      "properties": {"queue": {"enum": ["pay", "dispute", "review"]}, "amount_minor": {"type": "integer"}}},
    "delivery_mode": "request_response", "events": [], "injected_params": []}],
  "config": {"nodes": [], "edges": [], "model_config": {"model": "router-small-1", "temperature": 0.0},
    "system_prompt": "Reply with one JSON object naming the queue and the amount in minor units."},
  "dependencies": {"tools": [
      {"uri": "https://tools.example/ledger", "hash": "4351b52bb03ced28a8fc363e8593c91ec8e27a880c9f0fecb500b860b21b1e13",
        "scopes": ["ledger:read"], "risk_level": "safe"},
      {"name": "parse_amount", "description": "Text to minor units.", "type": "function",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}], "libraries": []},
  "policy": {"budget_caps": {"total_cost": 2.5}, "human_in_the_loop": [], "allowed_domains": ["tools.example"]},
  "evaluation": {"expected_latency_ms": 1500,
    "golden_dataset_uri": "evals/invoices.jsonl#sha256=531bcb7384b611dfe2ba5ebc8f74e2de03646dbb4d686cb538dee3a9e14ee7fc",
    "grading_rubric": [
      {"name": "json_schema_validity", "description": "Output fits the declared schema.", "threshold": 0.98},
      {"name": "accuracy", "description": "Queue and amount equal the reference.", "threshold": 0.9, "strict": true},
      {"name": "response_conciseness", "description": "Answer in under 40 words.", "strict": false}],
    "evaluator_model": "judge-large-2"},
  "observability": {"trace_level": "metadata_only", "retention_policy": "30_days"},
  "custom_metadata": {"team": "ap-ops"}, "status": "published",
  "integrity_hash": "6e7af71d8de254bfb66f90a0c5c4e777b829c364d8c91442d87ff939d5e212aa"
}
`;

/** A whole form B manifest, in YAML. */
export const POLICIES = `apiVersion: coreason.ai/v2
kind: Agent
metadata: {name: Policy Summariser, version: 0.3.0}
definitions:
  policy-summariser:
    type: agent
    id: policy-summariser          # must equal the map key
    name: Policy Summariser
    role: Benefits analyst
    goal: Summarise one leave policy for employees.
    backstory: Cites the clause behind every number.
    model: writer-medium-3
    tools: [{type: remote, uri: "mcp://hr.example/policies"}]
    knowledge: [docs/leave-handbook.md]
    interface:
      inputs: {type: object, required: [clause], properties: {clause: {type: string}}}
      outputs: {type: object, required: [summary], properties: {summary: {type: string}}}
    capabilities: {type: atomic, delivery_mode: request_response, history_support: false}
    evaluation:
      expected_latency_ms: 4000
      golden_dataset_uri: s3://hr-evals/leave-v2.csv
      evaluator_model: judge-large-2
      grading_rubric:
        - {name: factuality, description: Every number appears in the clause., threshold: 0.9}
        - {name: semantic_similarity, description: Same meaning as the reference., threshold: 0.8}
        - {name: response_conciseness, description: At most 120 words., threshold: 1.0, strict: false}
policy: {max_retries: 1, timeout: 30}
workflow:
  start: main
  steps:
    main: {type: agent, id: main, agent: policy-summariser}
`;

/** The least a form A definition can say. */
export const minimalDefinition = (members: object = {}) => ({
  metadata: {
    id: '0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60',
    version: '0.1.0',
    name: 'Parcel Desk',
    author: 'Acme',
    created_at: '2026-01-02T03:04:05Z',
  },
  capabilities: [
    {
      name: 'answer',
      type: 'atomic' as const,
      description: 'Answers a question.',
      inputs: { type: 'object' },
      outputs: { type: 'object' },
    },
  ],
  config: { model_config: { model: 'small-1', temperature: 0 } },
  dependencies: {},
  ...members,
});

export const manifestAgent = (id: string, members: object = {}) => ({
  type: 'agent' as const,
  id,
  name: 'Parcel Desk',
  role: 'Clerk',
  goal: 'Find parcels.',
  ...members,
});

/** A form B manifest with these agents, or other definitions. */
export const manifestOf = (definitions: object, members: object = {}) => ({
  apiVersion: 'coreason.ai/v2' as const,
  kind: 'Agent' as const,
  metadata: { name: 'Parcels' },
  definitions: definitions as { [key: string]: { [name: string]: unknown } },
  workflow: { start: 'main', steps: {} },
  ...members,
});

/** What is wrong with what the function is given to read. */
export function issuesOf(read: () => unknown): readonly Issue[] {
  try {
    read();
  } catch (error) {
    if (isHostError(error)) return (error.details as { readonly issues: readonly Issue[] }).issues;
    throw error;
  }
  throw new Error('It was accepted.');
}
