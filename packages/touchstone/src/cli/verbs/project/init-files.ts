/** The project `touchstone init` writes: small enough to read in a minute, and it passes as it is. */
export const PROJECT_FILES: { readonly [path: string]: string } = {
  'touchstone.config.json': `{
  "agents": [
    {
      "agentId": "local.demo.shop",
      "version": "0.1.0",
      "persona": "Shop assistant",
      "toolAllowlist": ["shop:orders.get"],
      "run": { "kind": "module", "path": "./agent.mjs" }
    }
  ],
  "suites": ["./evals"]
}
`,
  'agent.mjs': `// The agent under evaluation: a function from an input to an answer. Replace its inside with a model call of your own;
// it may call the tools of its allowlist and read its memory.
export default async function shopAssistant(input, { tools, memory }) {
  const question = String(input.question ?? input.message).toLowerCase();

  if (question.includes('refund')) return 'You can return any item within 30 days of delivery.';
  if (question.includes('who am i')) return memory[0]?.content ?? 'I do not know you yet.';

  const orderId = question.match(/order (\\d+)/)?.[1];
  if (orderId === undefined) return 'I can help with orders and refunds.';

  const order = await tools.call('shop:orders.get', { orderId });
  if (order === null) return \`There is no order \${orderId}.\`;
  return { orderId, status: order.status, arrives: order.arrives };
}
`,
  'evals/first.suite.yaml': `# What the agent must be able to do. Run it with: touchstone run evals/first.suite.yaml
suiteId: local.demo.evals.first
version: 1.0.0
targetAgentId: local.demo.shop
modes: [golden]
thresholds:
  passScore: 0.9
  maxP95LatencyMs: 2000

tasks:
  - taskId: refund-window
    input: { question: How long can I get a refund? }
    expected:
      kind: golden
      match: { strategy: contains, value: 30 days }

  - taskId: small-talk
    input: { question: Nice weather today! }
    expected:
      kind: golden
      match: { strategy: exact, value: I can help with orders and refunds. }

  # A fixture stands in for the tool, so the answer is the same today, tomorrow and on another machine.
  - taskId: order-status
    input: { question: Where is order 1042? }
    fixtures:
      toolResponses:
        - tool: shop:orders.get
          response: { status: shipped, arrives: tomorrow }
    expected:
      kind: golden
      match:
        strategy: json-match
        value: { orderId: "1042", status: shipped, arrives: tomorrow }

  - taskId: order-unknown
    input: { question: Where is order 7? }
    fixtures:
      toolResponses:
        - tool: shop:orders.get
          response: null
    expected:
      kind: golden
      match: { strategy: exact, value: There is no order 7. }

  - taskId: remembers-the-customer
    input: { question: Who am I? }
    fixtures:
      memorySeed:
        - content: You are Ada, a customer since 2019.
    expected:
      kind: golden
      match: { strategy: contains, value: Ada }
`,
};
