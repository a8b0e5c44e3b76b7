/** Keeps results in its own database, as it does by default. */
export const promptfoo = {
  packages: ['promptfoo@0.123.1'],
  needsNode22: true,
  keeps: 'results',
  command: 'promptfoo',
  files: ({ tasks }) => ({
    'provider.mjs': `
      import agent from './agent.mjs';
      export default class Provider {
        id() { return 'baskets'; }
        async callApi(prompt) { return { output: await agent(prompt) }; }
      }`,
    'tests.json': tasks.map(({ taskId, input, strategy, value }) => ({
      description: taskId,
      vars: { input },
      // Its "equals" compares parsed JSON when the expected value is an object.
      assert: [{ type: strategy === 'contains' ? 'contains' : 'equals', value }],
    })),
    'promptfooconfig.json': {
      prompts: ['{{input}}'],
      providers: ['file://provider.mjs'],
      tests: 'file://tests.json',
    },
  }),
  start: (bin) => [
    ...[bin('promptfoo'), 'eval', '-c', 'promptfooconfig.json', '-o', 'out.json', '-j', '32'],
    ...['--no-cache', '--no-progress-bar', '--no-table', '--no-share'],
  ],
  env: (project) => ({ PROMPTFOO_CONFIG_DIR: `${project}/.promptfoo` }),
  passed: ({ output }) => output().results.stats.successes,
};
