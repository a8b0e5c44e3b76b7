import {
  asId,
  canonicalJson,
  type Json,
  type JsonObject,
  type Owner,
  type Scorecard,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { type AuditEntry, type EvalRunSnapshot, HostResponseError } from '@touchstone/sdk';
import {
  comparableLine,
  FILES,
  judgeFacts,
  type PartName,
  type Promotion,
  segmentText,
} from '../../../app/index.js';
import { parseSuite } from '../../../suites/index.js';
import { canonicalSuite } from '../../files/signed-suite.js';
import { absent, eventPages, runPages } from '../../run-lookup.js';
import type { Session } from '../../session.js';

export type Collecting = {
  readonly session: Session;
  readonly run: EvalRunSnapshot;
  readonly card: Scorecard;
  /** The sealed scorecard. */
  readonly sealed: string;
  readonly bodies: boolean;
  readonly withSuite: boolean;
  note(text: string): void;
};

type CollectedFiles = readonly (readonly [name: string, bytes: Buffer | string])[];

/** What fills each part of a bundle. `app/bundle/parts.ts` says how each is checked. */
export const COLLECT: { readonly [name in PartName]: (from: Collecting) => Promise<CollectedFiles> } = {
  scorecard: async ({ sealed }) => [[FILES.scorecard, sealed]],
  suite: collectSuite,
  judge: collectJudge,
  log: collectLog,
  promotion: collectPromotion,
};

const jsonLine = (value: Json): string => `${canonicalJson(value)}\n`;

/** Laid out as our own are, whoever wrote it: the commands of the page read it line by line. */
const envelopeText = ({ payloadType, payload, signatures }: JsonObject): string => {
  const signed = (signatures as readonly JsonObject[]).map(({ keyid, sig }) => ({ keyid, sig }));
  return `${JSON.stringify({ payloadType, payload, signatures: signed }, null, 2)}\n`;
};

async function collectSuite({ session, card, withSuite, note }: Collecting): Promise<CollectedFiles> {
  const { suiteId, version, digest } = card.suite;
  const ref = `${suiteId}@${version}`;
  const { client, local } = session;
  const named = await client.suites.head(ref).catch(absent);
  const signature = named?.digest === digest ? await client.suites.signature(ref).catch(absent) : undefined;
  const envelope: CollectedFiles = signature?.envelope
    ? [[FILES.suiteEnvelope, envelopeText(signature.envelope)]]
    : [];
  if (!withSuite) return envelope;
  const document = named?.digest === digest ? await client.suites.get(ref) : undefined;
  const suite = document
    ? parseSuite(document)
    : await local?.touchstone.pinnedSuite(local.principal.owner, digest);
  if (suite?.head.digest === digest) return [[FILES.suite, canonicalSuite(suite)], ...envelope];
  note(`Suite ${ref} has another content now: the bundle names it by its digest alone.`);
  return envelope;
}

/** Who judged; of a portable judge what it asks, too; and what labels of people show of it. */
async function collectJudge({ session: { client }, run, card }: Collecting): Promise<CollectedFiles> {
  const facts: CollectedFiles = [[FILES.judge, jsonLine(judgeFacts(card))]];
  if (!card.judge) return facts;
  const { portable } = card.judge;
  const contract = portable === undefined ? undefined : await client.judges.get(portable).catch(absent);
  const calibration = await client.review.calibration(run.runId).catch(absent);
  return [
    ...facts,
    ...(contract ? [[FILES.judgeContract, canonicalJson(contract as unknown as Json)] as const] : []),
    ...(calibration && calibration.n > 0
      ? [[FILES.calibration, jsonLine(calibration as unknown as Json)] as const]
      : []),
  ];
}

async function collectLog({ session, run, card, bodies }: Collecting): Promise<CollectedFiles> {
  const facts: CollectedFiles = [[FILES.log, jsonLine(card.log as unknown as Json)]];
  if (!bodies) return facts;
  const lines: string[] = [];
  for await (const page of eventPages(session.client, run))
    for (const event of page) lines.push(comparableLine(event as unknown as RunEvent));
  return [...facts, [FILES.logLines, lines.join('\n')]];
}

/** The moves that rest on the run, and the audit records from the first of them to a head that the host has signed. */
async function collectPromotion(from: Collecting): Promise<CollectedFiles> {
  try {
    const moves = await movesOn(from);
    if (moves.length === 0) return [];
    const { client } = from.session;
    const places = moves.flatMap(({ records }) => records);
    const last = Math.max(...places);
    const [kept] = (await client.audit.checkpoints({ fromSeq: last, limit: 1 })).items;
    const checkpoint = kept ?? (await client.audit.checkpoint());
    const records = await recordsBetween(from, Math.min(...places), checkpoint.seq);
    return [
      [FILES.promotions, jsonLine(moves as unknown as Json)],
      [FILES.audit, segmentText(ownerOf(from.run), records)],
      [FILES.checkpoint, envelopeText(checkpoint.envelope)],
    ];
  } catch (error) {
    if (!(error instanceof HostResponseError) || error.code !== 'forbidden') throw error;
    from.note('The key may not read the audit log (scope audit:read), so the moves are not in the bundle.');
    return [];
  }
}

const ownerOf = (run: EvalRunSnapshot): Owner => {
  const { tenant, workspace } = (run as unknown as { readonly owner: Owner }).owner;
  return { tenant, workspace };
};

async function movesOn({ session: { client }, run, card }: Collecting): Promise<readonly Promotion[]> {
  const { agentId, version } = card.agent;
  const moves: Promotion[] = [];
  for await (const page of runPages(client, { kind: 'deployment', agentId, status: 'completed' }))
    for (const move of page) {
      const facts = move.touchstone as unknown as MoveFacts;
      if (facts.request.evalRunId !== run.runId) continue;
      const { items } = await client.audit.list({ runId: move.runId, limit: 1_000 });
      const records = items.map(({ seq }) => seq);
      moves.push({
        runId: move.runId,
        agent: `${agentId}@${version}`,
        toState: facts.toState ?? facts.request.transition,
        records,
      });
    }
  return moves.reverse();
}

type MoveFacts = {
  readonly request: { readonly evalRunId?: string; readonly transition: string };
  readonly toState?: string;
};

const PAGE = 1_000;

async function recordsBetween({ session: { client } }: Collecting, first: number, last: number) {
  const records: AuditEntry[] = [];
  for (let cursor = first - 1; cursor < last; ) {
    const { items } = await client.audit.list({ limit: PAGE, ...(cursor > 0 && { cursor: String(cursor) }) });
    if (items.length === 0) break;
    records.push(...items.filter(({ seq }) => seq <= last));
    cursor = items.at(-1)?.seq ?? last;
  }
  return records.map(({ at, runId, ...record }) => ({
    ...record,
    at: Date.parse(at),
    ...(runId !== undefined && { runId: asId<never>(runId) }),
  }));
}
