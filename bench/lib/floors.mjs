// What this machine can do at best, measured beside everything else.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node } from './process.mjs';
import { checkPasses } from './touchstone.mjs';

const script = (name) => fileURLToPath(new URL(`../floors/${name}.mjs`, import.meta.url));

export const bareNode = () => node(['-e', '0']);

export const memoryFloor = (suite, n, env) => runFloor('memory', [suite], n, env);
export const sqliteFloor = (suite, n, folder) => runFloor('sqlite', [suite, join(folder, 'floor.sqlite')], n);

async function runFloor(name, args, n, env) {
  const cost = await runScript(name, args, env);
  checkPasses(`the floor "${name}"`, cost.passed, n);
  return cost;
}

/** Its model meets every criterion. */
export async function modelsFloor(suite, n, port) {
  const cost = await runScript('models', [suite, port]);
  if (cost.passed !== n) throw new Error(`The floor "models" reports ${cost.passed} of ${n} tasks passed.`);
  return cost;
}

async function runScript(name, args, env) {
  const cost = await node([script(name), ...args], { env });
  if (cost.code !== 0)
    throw new Error(`The floor "${name}" ended with code ${cost.code}:\n${cost.stderr.slice(-2000)}`);
  return { ...cost, ...JSON.parse(cost.stdout) };
}
