import { readFileSync } from 'node:fs';

/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
const STARTER = new URL('../../../assets/adversarial/starter.suite.yaml', import.meta.url);

export const STARTER_NAME = 'evals/adversarial-starter.suite.yaml';

export const readStarterSuite = (): string => readFileSync(STARTER, 'utf8');
