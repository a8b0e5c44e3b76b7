// A made-up shop with a support desk in four versions, for pictures of the page.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export const AGENT = 'local.acme.support';
export const SUITE = 'local.acme.evals.support';
export const VERSIONS = ['1.6.0', '1.7.0', '1.7.2', '1.8.0'];
const ORDERS = 'local:orders.find';
export const KEYS = { asks: 'ci', grants: 'mira', reviews: 'jonas' };
export const keyOf = (name) => `picture-key-${name}`;

/** The same number between 0 and 1 for the same words. */
export function drawn(...words) {
  let hash = 2_166_136_261;
  for (const character of words.join('/')) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const KINDS = {
  order: (n) => ({
    ask: `Where is my order A-${1000 + n}?`,
    right: `Your order A-${1000 + n} arrives on ${DAYS[n % 5]}.`,
    wrong: `Your order A-${1000 + n} arrives on ${DAYS[(n + 2) % 5]}.`,
  }),
  refund: (n) => ({
    ask: `I sent order B-${1000 + n} back ${n} days after it came. Do I get my money?`,
    right:
      n <= 30 ? `Yes, order B-${1000 + n} is within 30 days.` : `No, order B-${1000 + n} is past 30 days.`,
    wrong:
      n <= 30 ? `No, order B-${1000 + n} is past 14 days.` : `Yes, order B-${1000 + n} is within 30 days.`,
  }),
  invoice: (n) => ({
    ask: `What do I owe for invoice I-${1000 + n}?`,
    right: `Invoice I-${1000 + n} is open: ${n * 7}.50 EUR.`,
    wrong: `Invoice I-${1000 + n} is paid.`,
  }),
  delay: (n) => ({
    ask: `My parcel D-${1000 + n} is late again. What now?`,
    right: `Parcel D-${1000 + n} comes on ${DAYS[n % 5]}. I am sorry that you had to wait, and I have refunded the postage.`,
    wrong: `Parcel D-${1000 + n} comes on ${DAYS[n % 5]}.`,
  }),
};
const PER_KIND = 40;
/** How often a version is wrong: 1.8.0 is better in everything but refunds. */
const WRONG = {
  '1.6.0': { order: 0.1, refund: 0.08, invoice: 0.12, delay: 0.15 },
  '1.7.0': { order: 0.08, refund: 0.06, invoice: 0.1, delay: 0.12 },
  '1.7.2': { order: 0.03, refund: 0.03, invoice: 0.05, delay: 0.08 },
  '1.8.0': { order: 0.02, refund: 0.4, invoice: 0.03, delay: 0.05 },
};

export const TASKS = Object.entries(KINDS).flatMap(([kind, make]) =>
  Array.from({ length: PER_KIND }, (_, at) => ({
    kind,
    taskId: `${kind}-${String(at + 1).padStart(3, '0')}`,
    ...make(at + 1),
  })),
);

const CRITERIA = ['It names the day.', 'It says sorry for the wait.', 'It offers something in return.'];

export const suite = {
  suiteId: SUITE,
  version: '2.3.0',
  modes: ['golden', 'rubric'],
  thresholds: { passScore: 0.85 },
  tasks: TASKS.map(({ kind, taskId, ask, right }) => ({
    taskId,
    input: ask,
    expected:
      kind === 'delay'
        ? { kind: 'rubric', rubric: CRITERIA.map((criterion) => ({ criterion, weight: 1 })) }
        : { kind: 'golden', match: { strategy: 'exact', value: right } },
    fixtures: { toolResponses: [{ tool: ORDERS, response: { state: 'on its way', days: 2 } }] },
  })),
};

/** What a version says, and whether it has looked the order up. */
function answerOf(version, text, hasLooked) {
  const task = TASKS.find(({ ask }) => text.includes(ask));
  if (!task) return { content: 'I do not know.' };
  const { kind, taskId, ask, right, wrong } = task;
  if (!hasLooked) {
    const order = /[A-D]-\d+|I-\d+/.exec(ask)[0];
    const call = {
      id: `call-${taskId}`,
      type: 'function',
      function: { name: 'TOOL', arguments: JSON.stringify({ order }) },
    };
    return { content: null, tool_calls: [call] };
  }
  return { content: drawn(taskId) < WRONG[version][kind] ? wrong : right };
}

/** Each criterion is met by a word of the answer; now and then the judge is mistaken. */
function verdictsOn(text) {
  const { taskId, right, wrong } =
    TASKS.find(
      ({ kind, right, wrong }) => kind === 'delay' && (text.includes(right) || text.includes(wrong)),
    ) ?? {};
  const answer = text.includes(right) ? right : wrong;
  const verdicts = [/ on /, /sorry/, /refunded/].map((pattern, at) => {
    const met = drawn(taskId ?? '', at) < 0.06 ? !pattern.test(answer) : pattern.test(answer);
    return {
      criterion: at + 1,
      reason: met ? 'The answer says so.' : 'I find no word of it in the answer.',
      met,
    };
  });
  return { content: JSON.stringify({ verdicts }) };
}

/** A model endpoint that knows all answers, and takes its time. */
export async function startModel() {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const said = JSON.stringify(body.messages).replaceAll('\\', '');
    const hasLooked = body.messages.some(({ role }) => role === 'tool');
    const message = body.model === 'judge-1' ? verdictsOn(said) : answerOf(body.model, said, hasLooked);
    for (const call of message.tool_calls ?? []) call.function.name = body.tools[0].function.name;
    await pause(40 + 400 * drawn(body.model, said.length, hasLooked) ** 3);
    const usage = { prompt_tokens: 500 + Math.round(said.length / 4), completion_tokens: 40 };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'chat-1',
        object: 'chat.completion',
        created: 0,
        model: body.model,
        choices: [
          {
            index: 0,
            finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
            message: { role: 'assistant', ...message },
          },
        ],
        usage,
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

export const configOf = (baseUrl) => ({
  keys: [
    { key: keyOf(KEYS.asks), tenant: 'acme', principal: KEYS.asks, roles: ['admin', 'operator', 'releaser'] },
    {
      key: keyOf(KEYS.grants),
      tenant: 'acme',
      principal: KEYS.grants,
      roles: ['admin', 'operator', 'approver'],
    },
    { key: keyOf(KEYS.reviews), tenant: 'acme', principal: KEYS.reviews, roles: ['admin', 'approver'] },
  ],
  roles: {
    approver: ['approvals:respond', 'runs:read'],
    releaser: ['deploy:promote', 'deploy:rollback', 'deploy:pause', 'runs:read'],
  },
  agents: VERSIONS.map((version) => ({
    agentId: AGENT,
    version,
    persona: 'Support desk',
    toolAllowlist: [ORDERS],
    run: { kind: 'openai', provider: 'desk', model: version, system: 'You answer customers of a shop.' },
  })),
  providers: { desk: { kind: 'openai-compatible', baseUrl, tenants: ['acme'] } },
  prices: Object.fromEntries(
    [...VERSIONS, 'judge-1'].map((model) => [`desk/${model}`, { inputPerMTok: 1.1, outputPerMTok: 4.4 }]),
  ),
  judge: { model: 'desk/judge-1', votes: 3 },
  gates: [
    {
      gateId: 'release',
      agentId: 'local.acme.*',
      to: 'active',
      requiredEval: { suite: SUITE, requiredPassScore: 0.85 },
      approval: { requiredRole: 'approver', quorum: 2, excludeRequester: true, timeoutSec: 86_400 },
    },
  ],
});
