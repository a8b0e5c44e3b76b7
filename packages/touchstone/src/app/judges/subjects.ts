import type { Json } from '@touchstone/protocol';
import { digestOf } from '../../suites/index.js';

// What labels are about, by digests: a calibration names questions and answers, and shows neither.

/** Names a question. */
export const taskSubject = (input: Json): string => digestOf(input);

/** Names an answer to a question. */
export const answerSubject = (input: Json, output: Json): string => digestOf([input, output]);
