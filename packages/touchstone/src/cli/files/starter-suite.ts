import { readFileSync } from 'node:fs';
import { STARTER } from '../assets.js';

export const STARTER_NAME = 'evals/adversarial-starter.suite.yaml';

export const readStarterSuite = (): string => readFileSync(STARTER, 'utf8');
