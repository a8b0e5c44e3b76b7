import { resolve } from 'node:path';
import type { GatePolicy } from '@touchstone/protocol';
import type { Config } from '../../../../app/index.js';
import { packOptions } from '../../../../app/index.js';
import { findPacks } from '../../../../packs/index.js';
import { parseSuiteReference } from '../../../../suites/index.js';
import { checkSuiteFile } from '../../../files/check-suite.js';
import { openPackAt } from '../../../files/pack-files.js';
import { suiteFiles } from '../../../files/suite-source.js';
import { type Finding, ok, warning } from './finding.js';

/** Whether what each gate asks for can be had from this configuration. Tenants may bring more, so nothing is broken. */
export async function checkGates(config: Config): Promise<readonly Finding[]> {
  if (config.gates.length === 0) return [];
  const known = await suitesOf(config);
  return config.gates.map((gate) => checkGate(gate, config, known));
}

type SuiteName = { readonly suiteId: string; readonly version: string };

function checkGate(gate: GatePolicy, { judge }: Config, known: readonly SuiteName[]): Finding {
  const { gateId, agentId, to, requiredEval } = gate;
  if (requiredEval && !known.some((suite) => isNamed(requiredEval.suite, suite)))
    return warning(
      'gate',
      `${gateId}: the suite ${requiredEval.suite} is in no folder or pack of the configuration`,
      'Add its folder to "suites", or correct "requiredEval.suite"',
    );
  const asked = requiredEval?.judge;
  if (asked?.includes('/') && asked !== judge?.model)
    return warning(
      'gate',
      `${gateId}: it asks for the judge ${asked}, and the configured one is ${judge?.model ?? 'none'}`,
      'Correct "judge.model", or "requiredEval.judge" of the gate',
    );
  return ok('gate', `${gateId}: ${agentId} to ${to}`);
}

function isNamed(reference: string, { suiteId, version }: SuiteName): boolean {
  const named = parseSuiteReference(reference);
  return named.suiteId === suiteId && (named.version === undefined || named.version === version);
}

/** Suites that cannot be read are reported by the checks of suites and packs. */
async function suitesOf(config: Config): Promise<readonly SuiteName[]> {
  const { baseDir } = config;
  const files = config.suites.flatMap((folder) => suiteFiles(folder, baseDir) ?? []);
  const inPack = async (path: string) =>
    (await openPackAt(path, packOptions(config))).suites.map(({ head }) => head);
  const read = await Promise.allSettled([
    ...files.map(async (file) => [(await checkSuiteFile(file, baseDir)).head]),
    ...config.packs.map(async (folder) =>
      (await Promise.all(findPacks(resolve(baseDir, folder)).map(inPack))).flat(),
    ),
  ]);
  return read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
