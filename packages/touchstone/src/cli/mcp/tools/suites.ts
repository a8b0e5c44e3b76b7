import { defined } from '@touchstone/protocol';
import { closed } from '@touchstone/protocol/schema';
import { displayPath } from '../../files/local-files.js';
import type { Context } from '../../io.js';
import { readConfig } from '../../local.js';
import { withSession } from '../../session.js';
import { checkFile } from '../../verbs/project/validate.js';
import { packedSuites, unknownSuite } from '../choices.js';
import { checkRows, fileAt, fileOfId, filesOf, isSuiteId, knownFiles, openInside } from '../folder.js';
import { checkedSuite, NOTHING, suiteList, suiteName } from '../schemas.js';
import { tool, troubleWords } from '../tool.js';

type Config = Awaited<ReturnType<typeof readConfig>>;

export const listSuites = tool({
  name: 'list_suites',
  title: 'List suites and agents',
  description: 'Lists the suites that run_suite can run, and the agents of the configuration.',
  readOnly: true,
  input: NOTHING,
  output: suiteList,
  call: (_, { context }) =>
    withSession(context, {}, 'files', async ({ client }) => {
      const config = await readConfig(context);
      const { agents } = await client.agents.list();
      const packed = await packedSuites(client);
      return {
        suites: [
          ...filesOf(context, config).map((file) => entryOf(context, config, file)),
          ...packed.map(({ suiteRef, agent, pack }) => ({ suite: suiteRef, agent, pack })),
        ],
        agents: agents.map(({ agentId, persona }) => defined({ agentId, persona })),
      };
    }),
});

/** A suite that cannot be read is listed, so that it can be repaired. */
function entryOf(context: Context, config: Config, path: string) {
  const file = displayPath(path, context.io.cwd);
  try {
    const { head } = openInside(context, config, path).suite;
    const { suiteId, version, taskCount: tasks, targetAgentId: agent } = head;
    return { suite: `${suiteId}@${version}`, file, tasks, ...defined({ agent }) };
  } catch (error) {
    return { file, trouble: troubleWords(error) };
  }
}

export const validateSuite = tool({
  name: 'validate_suite',
  title: 'Check a suite file',
  description:
    'Checks a suite file without running it, and tells every mistake with its line. Use it after writing or changing one.',
  readOnly: true,
  input: closed({ suite: suiteName }),
  output: checkedSuite,
  async call({ suite }, { context }) {
    const config = await readConfig(context);
    const path = isSuiteId(suite) ? fileOfId(context, config, suite) : fileAt(context, config, suite);
    if (path === undefined)
      throw unknownSuite(
        suite,
        knownFiles(context, config).map(({ head }) => `${head.suiteId}@${head.version}`),
      );
    checkRows(context, config, path);
    const checked = await checkFile(context, path);
    return { valid: checked.issues.length === 0, ...checked, issues: [...checked.issues] };
  },
});
