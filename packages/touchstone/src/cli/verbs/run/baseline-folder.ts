import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject, type Json, parseJson } from '@touchstone/protocol';
import { readText } from '../../files/local-files.js';
import type { Context } from '../../io.js';

/** What a file claims to be about. Whether that is true is found out when it is imported. */
type ClaimedCard = { readonly text: string; readonly agentId: unknown; readonly endedAt: string };

/** The scorecard file of a suite in a folder: of this agent if there is one, otherwise of any, the newest of several. */
export function cardInFolder(
  { io }: Context,
  folder: string,
  { suiteId, agentId }: { readonly suiteId: string; readonly agentId: string },
): string | undefined {
  const names = readdirSync(resolve(io.cwd, folder)).filter((name) => name.endsWith('.json'));
  const cards = names
    .flatMap((name) => claimOf(readText(resolve(io.cwd, folder, name), join(folder, name)), suiteId))
    .sort((a, b) => (a.endedAt < b.endedAt ? 1 : -1));
  return (cards.find((card) => card.agentId === agentId) ?? cards[0])?.text;
}

function claimOf(text: string, suiteId: string): readonly ClaimedCard[] {
  const { payload } = membersOf(parseJson(text));
  if (typeof payload !== 'string') return [];
  const statement = membersOf(parseJson(Buffer.from(payload, 'base64').toString('utf8')));
  const card = membersOf(membersOf(statement.predicate).scorecard);
  if (membersOf(card.suite).suiteId !== suiteId) return [];
  return [{ text, agentId: membersOf(card.agent).agentId, endedAt: String(card.endedAt) }];
}

const membersOf = (value: Json | undefined) => (isObject(value) ? value : {});
