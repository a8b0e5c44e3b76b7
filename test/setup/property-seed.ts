import fc from 'fast-check';
import { SEED } from './seed.js';

// Property tests draw the same values in every run, so that a change is what makes a test fail.
fc.configureGlobal({ seed: SEED });
