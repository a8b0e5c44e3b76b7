import { asId, type Owner, type Version } from '@touchstone/protocol';
import type { PackContents, PackHead, Packs } from '../../ports/index.js';
import { decodeCursor, pageOf } from '../cursor.js';
import { type Db, GuardFailed, type SqlValue, type Statement } from '../db.js';
import { textAt, toPackHead } from '../rows.js';
import { bindOnceStatement, rebindStatement } from './bound-agents.js';
import { attachOnceStatements, attachStatements } from './contracts.js';
import { judgeOnceStatements, judgeStatements } from './judges.js';
import { signatureStatement } from './suite-signatures.js';
import { contentStatements, nameOnceStatement, nameStatement } from './suite-statements.js';
import { createWithdrawnPacks } from './withdrawn-packs.js';

const INSERT = `INSERT INTO packs
    (tenant, workspace, name, version, integrity, digest, signed_by, files_signed, agents, draft, installed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, name, version)`;
const INSTALL = `${INSERT} DO NOTHING`;
const REPLACE = `${INSERT} DO UPDATE SET integrity = excluded.integrity, digest = excluded.digest,
  signed_by = excluded.signed_by, files_signed = excluded.files_signed, agents = excluded.agents, draft = excluded.draft,
  installed_at = excluded.installed_at`;

const SELECT = `SELECT name, version, integrity, digest, signed_by, files_signed, agents, draft FROM packs
  WHERE tenant = ? AND workspace = ?`;
const GET = `${SELECT} AND name = ? AND version = ?`;
const LIST = `${SELECT} AND (name, version) > (?, ?) ORDER BY name, version LIMIT ?`;
const VERSIONS = `SELECT version FROM packs WHERE tenant = ? AND workspace = ? AND name = ?
  ORDER BY installed_at, version`;

export function createPacks(db: Db): Packs {
  return {
    install: (owner, contents, installedAt) => install(db, owner, contents, installedAt),
    async replace(owner, contents, installedAt) {
      await db.transaction([
        { sql: REPLACE, params: packParams(owner, contents.head, installedAt) },
        ...contents.agents.map((agent) => rebindStatement(owner, agent, installedAt)),
        ...(await suiteContents(db, owner, contents)),
        ...contents.suites.map(({ head }) => nameStatement(owner, head, installedAt)),
        ...signaturesOf(owner, contents, installedAt),
        ...(contents.judges ?? []).flatMap((judge) => judgeStatements(owner, judge, installedAt)),
        ...contractsOf(contents).flatMap(({ suite, contract }) =>
          attachStatements(owner, suite, contract, installedAt),
        ),
      ]);
    },
    async get(owner, name, version) {
      const [row] = await db.all(GET, [owner.tenant, owner.workspace, name, version]);
      return row && toPackHead(row);
    },
    async versions(owner, name) {
      const rows = await db.all(VERSIONS, [owner.tenant, owner.workspace, name]);
      return rows.map((row) => asId<Version>(textAt(row, 'version')));
    },
    async list(owner, limit, cursor) {
      const after = cursor === undefined ? ['', ''] : decodeCursor(cursor, ['string', 'string']);
      const rows = await db.all(LIST, [owner.tenant, owner.workspace, ...after, limit + 1]);
      return pageOf(rows, limit, toPackHead, (row) => [textAt(row, 'name'), textAt(row, 'version')]);
    },
    ...createWithdrawnPacks(db),
  };
}

/**
 * Everything that could stand in the way is a guard, so that of two processes installing at once one finds out inside
 * its transaction and leaves nothing behind. The cheap question comes first: most installs are repeated ones.
 */
async function install(
  db: Db,
  owner: Owner,
  contents: PackContents,
  installedAt: number,
): Promise<'created' | 'same' | 'conflict'> {
  const standing = await standingOf(db, owner, contents.head);
  if (standing) return standing;
  const batch: readonly Statement[] = [
    { sql: INSTALL, params: packParams(owner, contents.head, installedAt), guard: true },
    ...contents.agents.map((agent) => bindOnceStatement(owner, agent, installedAt)),
    ...(await suiteContents(db, owner, contents)),
    ...contents.suites.map(({ head }) => nameOnceStatement(owner, head, installedAt)),
    ...signaturesOf(owner, contents, installedAt),
    ...(contents.judges ?? []).flatMap((judge) => judgeOnceStatements(owner, judge, installedAt)),
    ...contractsOf(contents).flatMap(({ suite, contract }) =>
      attachOnceStatements(owner, suite, contract, installedAt),
    ),
  ];
  try {
    await db.transaction(batch);
    return 'created';
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
    return (await standingOf(db, owner, contents.head)) ?? 'conflict';
  }
}

/** A key that signs all files of a pack signs the suites in it. One that was compiled here is no file of the pack. */
const signaturesOf = (owner: Owner, contents: PackContents, at: number): readonly Statement[] => {
  const { name, version, signedBy, filesSigned } = contents.head;
  if (signedBy === undefined || !filesSigned) return [];
  const compiled = new Set(contractsOf(contents).map(({ suite }) => suite));
  return contents.suites
    .filter(({ head }) => !compiled.has(head.digest))
    .map(({ head }) =>
      signatureStatement(owner, head.digest, { keyId: signedBy, pack: `${name}@${version}` }, at),
    );
};

const contractsOf = ({ contracts = [] }: PackContents) => contracts;

/** How the pack of this name and version, if there is one, compares to this one. */
async function standingOf(db: Db, owner: Owner, head: PackHead): Promise<'same' | 'conflict' | undefined> {
  const [row] = await db.all(GET, [owner.tenant, owner.workspace, head.name, head.version]);
  return row && (textAt(row, 'digest') === head.digest ? 'same' : 'conflict');
}

async function suiteContents(db: Db, owner: Owner, { suites }: PackContents): Promise<readonly Statement[]> {
  const contents = await Promise.all(suites.map((suite) => contentStatements(db, owner, suite)));
  return contents.flatMap((statements) => [...statements]);
}

const packParams = (owner: Owner, head: PackHead, installedAt: number): readonly SqlValue[] => [
  owner.tenant,
  owner.workspace,
  head.name,
  head.version,
  head.integrity,
  head.digest,
  head.signedBy ?? null,
  head.filesSigned ? 1 : 0,
  JSON.stringify(head.agents),
  head.draft ? 1 : 0,
  installedAt,
];
