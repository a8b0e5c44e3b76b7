// One variable decides who answers: with OPENAI_API_KEY (or ANTHROPIC_API_KEY) a real model, without either the script
// beside this file. OPENAI_BASE_URL, if it is set, leads to any other endpoint that speaks the same language.
const { OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY } = process.env;

const model = OPENAI_API_KEY
  ? 'openai/gpt-4o-mini'
  : ANTHROPIC_API_KEY
    ? 'anthropic/claude-sonnet-4-5'
    : 'offline/returns';

export default {
  providers: {
    offline: { kind: 'scripted', path: 'offline-model.yaml' },
    ...(OPENAI_BASE_URL && { openai: { kind: 'openai', baseUrl: OPENAI_BASE_URL } }),
  },
  modelClasses: { general: model },
  judge: { model: model === 'offline/returns' ? 'offline/judge' : model },
  tools: [
    {
      toolId: 'local:orders.lookup',
      kind: 'http',
      url: process.env.ORDERS_URL ?? 'http://127.0.0.1:9100/orders',
      description: 'Finds an order by its number.',
      inputSchema: {
        type: 'object',
        properties: { orderId: { type: 'string' } },
        required: ['orderId'],
      },
      safetyTier: 'read',
    },
  ],
};
