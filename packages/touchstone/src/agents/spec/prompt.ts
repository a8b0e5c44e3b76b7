import { existsSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Issue, type Json, validationError } from '@touchstone/protocol';
import {
  choice,
  closed,
  either,
  issueAt,
  json,
  list,
  ruled,
  schemaIssues,
} from '@touchstone/protocol/schema';
import { CHAT_ROLES } from '../models/chat.js';
import { createTemplate } from '../templates/render.js';
import { below, filled } from './members.js';
import { readDocument } from './read-document.js';

const promptText = filled(256 * 1024);
const promptShape = either(
  promptText,
  list(either(promptText, closed({ role: choice(CHAT_ROLES), content: promptText })), undefined, {
    minItems: 1,
    maxItems: 100,
  }),
);

/** What the model is told about a task: a text, or messages, with placeholders for what the task brings. */
export const prompt = ruled(json(), (value: Json): readonly Issue[] => {
  const issues = schemaIssues(promptShape, value);
  if (issues.length > 0) return issues;
  const read = createTemplate(value);
  return 'trouble' in read ? issueAt(read.pointer, read.trouble) : [];
});

type PromptSource = { readonly prompt?: Json; readonly promptFile?: string };

/** The prompt of an agent, from its entry or from the file that the entry names; undefined when it has none. */
export const promptOf = ({ prompt: written, promptFile }: PromptSource, baseDir: string): Json | undefined =>
  promptFile === undefined ? written : readPromptFile(resolve(baseDir, promptFile));

/** The placeholders that a prompt needs values for; undefined when there is no prompt. */
export function promptNames(run: PromptSource, baseDir: string): readonly string[] | undefined {
  const { promptFile } = run;
  // A path that names a variable which is not set leads nowhere yet, and the agent cannot be run before it does.
  if (promptFile !== undefined && !existsSync(resolve(baseDir, promptFile))) return undefined;
  const found = promptOf(run, baseDir);
  if (found === undefined) return undefined;
  const read = createTemplate(found);
  return 'trouble' in read ? [] : read.names;
}

const PLAIN = ['.md', '.txt'];
const DOCUMENTS = ['.json', '.yaml', '.yml'];
const POINTER = '/run/promptFile';

function readPromptFile(path: string): Json {
  const kind = extname(path).toLowerCase();
  if (![...PLAIN, ...DOCUMENTS].includes(kind))
    throw validationError([
      { pointer: POINTER, message: `expected a file that ends in ${[...PLAIN, ...DOCUMENTS].join(', ')}` },
    ]);
  const value = PLAIN.includes(kind)
    ? readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    : (readDocument(path, 'The prompt', POINTER) as Json);
  const issues = schemaIssues(prompt, value);
  if (issues.length > 0) throw validationError(below(POINTER, issues), { file: path });
  return value;
}
