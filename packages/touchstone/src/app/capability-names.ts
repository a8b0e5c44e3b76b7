/** The names of earlier specifications that published packs use, with the path of the same thing in today's document. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['agentRuntime', 'agents.manifestRuntime'],
  ['campaignMessaging', 'messaging.campaign'],
  ['webSearch', 'webResearch'],
]);

/**
 * The path in the discovery document that a pack means by a name. Packs put `host.` or `openwop.` before a path, as in
 * `openwop.agents.memoryBackends`; upstream's table of aliases lists both, and what was renamed.
 */
export function capabilityPath(name: string): string {
  const path = name.replace(/^(?:host|openwop)\./, '');
  return ALIASES.get(path) ?? path;
}

/** Models. Not in the document: which of them there are depends on who asks, and for which class. */
export const MODELS_CAPABILITY = 'aiProviders';
