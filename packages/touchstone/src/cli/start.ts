import type { Command } from 'commander';
import type { Context } from './io.js';

/** Runs a verb and keeps its exit code for the end. */
export type Start = (command: Command, verb: (context: Context) => Promise<number>) => Promise<void>;
