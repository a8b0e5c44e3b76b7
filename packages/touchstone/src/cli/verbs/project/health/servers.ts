import type { Config } from '../../../../app/index.js';
import type { Context } from '../../../io.js';
import { withScratch } from '../../../local.js';
import { plural } from '../../../render/units.js';
import { broken, type Finding, ok, wordsOf } from './finding.js';

const HINT = 'Install the server, or correct "mcpServers" in the configuration';

/** Starts every MCP server and asks which tools it has. None of the tools is called. */
export async function checkServers(context: Context, config: Config): Promise<Finding[]> {
  const names = Object.keys(config.mcpServers);
  if (names.length === 0) return [];
  try {
    return await withScratch(context, config, ['mcpServers'], async ({ touchstone, principal }) => {
      const troubles = new Map((await touchstone.toolIssues()).map(({ server, reason }) => [server, reason]));
      const tools = (await touchstone.listTools(principal.owner)).map(({ toolId }) => toolId);
      return names.map((name) => findingOf(name, troubles.get(name), tools));
    });
  } catch (error) {
    return [broken('mcp', wordsOf(error), HINT)];
  }
}

function findingOf(name: string, trouble: string | undefined, tools: readonly string[]): Finding {
  if (trouble !== undefined) return broken('mcp', `${name}: ${trouble}`, HINT);
  const count = tools.filter((toolId) => toolId.startsWith(`mcp:${name}.`)).length;
  return ok('mcp', `${name}: ${plural(count, 'tool')}`);
}
