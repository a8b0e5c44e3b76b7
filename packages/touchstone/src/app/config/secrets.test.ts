import { expect, it } from 'vitest';
import { parseConfig } from './config.js';
import { knownSecrets } from './secrets.js';

const config = parseConfig(
  {
    providers: {
      local: {
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1/v1',
        apiKeyEnv: 'LOCAL_KEY',
        headers: { 'x-org': 'org-secret' },
      },
    },
    agents: [
      {
        agentId: 'local.a.b',
        version: '1.0.0',
        run: {
          kind: 'http',
          url: 'http://127.0.0.1/',
          headers: { authorization: 'Bearer agent-secret', accept: 'text/plain' },
        },
      },
    ],
    tools: [
      { toolId: 'local:t', kind: 'http', url: 'http://127.0.0.1/', headers: { 'x-key': 'tool-secret' } },
    ],
    mcpServers: { files: { command: 'x', env: { API_TOKEN: 'mcp-secret', NODE_ENV: 'production' } } },
  },
  '/',
);

it('every place a secret can be given in is known, and nothing else', () => {
  const env = { LOCAL_KEY: 'local-secret', ANTHROPIC_API_KEY: 'vendor-secret', HOME: '/home/somebody' };
  const byValue = new Map(knownSecrets(config, env).map(({ id, value }) => [value, id]));
  expect(Object.fromEntries(byValue)).toEqual({
    'local-secret': 'LOCAL_KEY',
    'vendor-secret': 'ANTHROPIC_API_KEY',
    'org-secret': 'providers.local.headers.x-org',
    'agent-secret': 'agents.0.headers.authorization',
    'tool-secret': 'tools.0.headers.x-key',
    'mcp-secret': 'mcpServers.files.env.API_TOKEN',
  });
});

it('a secret given twice has one name', () => {
  const twice = knownSecrets(config, { LOCAL_KEY: 'tool-secret' });
  expect(twice.filter(({ value }) => value === 'tool-secret').map(({ id }) => id)).toEqual([
    'tools.0.headers.x-key',
  ]);
});

it('the password of a PostgreSQL store is a secret', () => {
  const config = parseConfig({ store: 'postgres://ann:s%2Fcret@db/evals' }, '/');
  expect(knownSecrets(config, {})).toEqual([{ id: 'store', value: 's/cret' }]);
});

it('the headers for a collector are secrets', () => {
  const none = parseConfig({}, '/');
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector, x-key=a=b,broken' };
  expect(knownSecrets(none, env).map(({ value }) => value)).toEqual(['a=b', 'of-the-collector']);
  expect(knownSecrets(none, { OTEL_EXPORTER_OTLP_HEADERS: '' })).toEqual([]);
});
