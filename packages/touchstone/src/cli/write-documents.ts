import { randomUUID } from 'node:crypto';
import { asId, type RunId, taskScore } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { resultsInOrder } from '@touchstone/sdk/view';
import { UnreadTasks } from '../exporters/index.js';
import { type Context, writeLine } from './io.js';

type Writing = Pick<Context, 'io'> & { readonly client: Client };

/** Writes a document of runs as JSON. A list of tasks that was not read goes from the pages of results to stdout. */
export async function writeDocuments({ io, client }: Writing, document: unknown): Promise<void> {
  // Content may be part of the document, and nobody who wrote it knows this word.
  const token = randomUUID();
  const marked = (_: string, value: unknown): unknown =>
    value instanceof UnreadTasks ? `${token} ${value.runId}` : value;
  const place = new RegExp(`^( *)("tasks": )"${token} (.+)"(,?)$`, 'm');
  let rest = JSON.stringify(document, marked, 2);
  for (let found = place.exec(rest); found; found = place.exec(rest)) {
    const [line, indent = '', member = '', runId = '', comma = ''] = found;
    io.stdout.write(`${rest.slice(0, found.index)}${indent}${member}[`);
    await writeTasks({ io, client }, asId(runId), indent);
    rest = `]${comma}${rest.slice(found.index + line.length)}`;
  }
  writeLine(io.stdout, rest);
}

async function writeTasks({ io, client }: Writing, runId: RunId, indent: string): Promise<void> {
  const { total, selected } = (await client.runs.get(runId)).touchstone?.tasks ?? {};
  let separator = '\n';
  for await (const piece of resultsInOrder(client, runId, total === selected)) {
    if (piece.length === 0) continue;
    const lines = JSON.stringify(piece.map(taskScore), null, 2).slice('[\n'.length, -'\n]'.length);
    io.stdout.write(`${separator}${indent}${lines.replaceAll('\n', `\n${indent}`)}`);
    separator = ',\n';
  }
  io.stdout.write(`\n${indent}`);
}
