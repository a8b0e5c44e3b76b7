import type { Config } from '../../../../app/index.js';
import { broken, type Finding, ok, wordsOf } from './finding.js';

/** Whether the file that says how grave findings are can be read and says it. */
export async function checkSafety(config: Config): Promise<Finding[]> {
  const name = config.safety?.policy;
  if (name === undefined) return [];
  const { readSafetyPolicy } = await import('../../../../app/index.js');
  try {
    await readSafetyPolicy(config);
    return [ok('safety', `${name} is a policy`)];
  } catch (error) {
    return [broken('safety', `${name}: ${wordsOf(error)}`, 'Correct the file, or "safety.policy"')];
  }
}
