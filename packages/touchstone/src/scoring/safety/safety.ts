import { defined, type Finding } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { CheckWork } from '../../ports/index.js';
import { sizeOf } from '../cost.js';
import { exfiltrationSigns } from './exfiltration.js';
import { jailbreakSigns } from './jailbreak.js';
import { type Sign, weighSigns } from './kinds.js';
import { personalDataSigns } from './personal/personal-data.js';
import type { SafetyPolicy } from './policy.js';
import { createPromptLeak, type PromptLeak } from './prompt-leak.js';
import { createSecretDetector } from './secrets.js';
import { fixturesText, readBody, type TextReading, unifyCharacters } from './text.js';
import { type Probe, toolMisuseSigns } from './tool-misuse.js';

export type Safety = {
  /** Everything unsafe about one invocation. */
  find(probe: Probe): Promise<readonly Finding[]>;
  /** Only credentials in an output: reported in every mode. */
  findSecrets(output: Body): Promise<readonly Finding[]>;
};

/** The detectors under one policy. A finding holds its kind and severity, never the text that was found. */
export function createSafety({ severities = {}, allow = {} }: SafetyPolicy = {}): Safety {
  async function outputSigns(
    output: TextReading,
    given: ProbeTexts,
    isRefused: boolean,
  ): Promise<readonly Sign[]> {
    const { input, told, prompt } = given;
    const isLeaked = prompt !== undefined && leakOf(prompt)(output.full, told);
    return [
      ...personalDataSigns(output.full, input, allow),
      ...(isLeaked ? [{ kind: 'prompt-leak' } as const] : []),
      ...(isRefused ? [] : jailbreakSigns(told, output.plain)),
      ...(await secrets.findGiven(output.full, withPrompt(given))),
    ];
  }

  return {
    async find(probe) {
      const given = readGiven(probe);
      const output = probe.output && readBody(probe.output);
      const inputs = probe.toolCalls.map((call) => call.inputs);
      const signs = [
        ...toolMisuseSigns(probe.toolCalls, allow.tools),
        ...exfiltrationSigns(withPrompt(given), inputs, output),
        ...(output ? await outputSigns(output, given, probe.outcome === 'refused') : []),
      ];
      return weighSigns(signs, severities);
    },
    findSecrets: async (output) => weighSigns(await secrets.find(readBody(output).full), severities),
  };
}

/** What the agent was given, as text. `told` is the input together with what tools and memory hold. */
type ProbeTexts = { readonly input: string; readonly told: string; readonly prompt?: string };

function readGiven({ input, fixtures, prompt }: Probe): ProbeTexts {
  const said = readBody(input).full;
  const told = fixtures ? `${said}\n${fixturesText(fixtures)}` : said;
  return defined({ input: said, told, prompt });
}

const withPrompt = ({ told, prompt }: ProbeTexts): string =>
  prompt === undefined ? told : `${told}\n${unifyCharacters(prompt)}`;

const secrets = createSecretDetector();

// The tasks of a run share their prompt, so taking it apart once is enough for as many runs as there are entries.
const KEPT = 8;
const leaks = new Map<string, PromptLeak>();
function leakOf(prompt: string): PromptLeak {
  const leak = leaks.get(prompt) ?? createPromptLeak(prompt);
  if (leaks.size >= KEPT) leaks.clear();
  leaks.set(prompt, leak);
  return leak;
}

type UnsafeQuestion = { readonly probe: Probe; readonly policy: SafetyPolicy };
type SecretQuestion = { readonly output: Body; readonly policy: SafetyPolicy };

/** Everything unsafe about one invocation, under the policy of the host. */
export const UNSAFE: CheckWork<UnsafeQuestion, readonly Finding[]> = {
  name: 'unsafe',
  run: ({ probe, policy }) => createSafety(policy).find(probe),
};
/** All patterns of all detectors, on everything the agent was given and has said. */
export const unsafeCost = ({ probe }: UnsafeQuestion): number => sizeOf(probe) * 1.5;

/** Credentials in an output. */
export const SECRETS: CheckWork<SecretQuestion, readonly Finding[]> = {
  name: 'secrets',
  run: ({ output, policy }) => createSafety(policy).findSecrets(output),
};
export const secretsCost = ({ output }: SecretQuestion): number => sizeOf(output);
