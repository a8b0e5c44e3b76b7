import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  asId,
  type Digest,
  HOST_OWNER,
  HostError,
  type Owner,
  type PortableJudge,
  type Version,
  validationError,
} from '@touchstone/protocol';
import type { Clock, Store, StoredJudge } from '../../ports/index.js';
import { STANDARD_JUDGE } from '../../scoring/index.js';
import { highestVersion } from '../../suites/index.js';
import { parseJudge, readJudgeFile } from './judge-file.js';

/** A portable judge that an owner may use: its own, or one of the host's. */
export type JudgeVisible = { readonly judge: StoredJudge; readonly owner: Owner };

/** Where portable judges are kept and found. */
export type JudgeCatalogue = {
  install(owner: Owner, judge: StoredJudge): Promise<'created' | 'same'>;
  /** Without the rule that versions do not change: for files, edited between runs. */
  replace(owner: Owner, judge: StoredJudge): Promise<void>;
  /** `<judgeId>@<version>`, or `<judgeId>` for the highest version. A foreign one looks like an absent one. */
  find(owner: Owner, reference: string): Promise<JudgeVisible | undefined>;
  list(owner: Owner): Promise<readonly StoredJudge[]>;
  /** What a run is pinned to. */
  pinned(owner: Owner, digest: Digest): Promise<PortableJudge | undefined>;
};

/** Every host has it, whatever its configuration. */
const STANDARD = parseJudge(STANDARD_JUDGE as unknown);

export function createJudgeCatalogue(
  store: Pick<Store, 'judges'>,
  clock: Pick<Clock, 'now'>,
): JudgeCatalogue {
  const { judges } = store;
  const ofHost = async (): Promise<readonly StoredJudge[]> => [STANDARD, ...(await judges.list(HOST_OWNER))];
  const findIn = async (holder: Owner, reference: string): Promise<StoredJudge | undefined> => {
    const [judgeId = '', version] = reference.split('@');
    if (version === undefined)
      return highest(holder === HOST_OWNER ? await ofHost() : await judges.list(holder), judgeId);
    if (holder === HOST_OWNER && reference === refOf(STANDARD)) return STANDARD;
    return judges.get(holder, judgeId, asId<Version>(version));
  };
  const find: JudgeCatalogue['find'] = async (owner, reference) => {
    for (const holder of [HOST_OWNER, owner]) {
      const judge = await findIn(holder, reference);
      if (judge) return { judge, owner: holder };
    }
    return undefined;
  };
  return {
    find,
    async install(owner, judge) {
      const hosts = await findIn(HOST_OWNER, refOf(judge));
      if (hosts) {
        if (hosts.digest === judge.digest) return 'same';
        throw taken(judge);
      }
      const outcome = await judges.install(owner, judge, clock.now());
      if (outcome === 'conflict') throw taken(judge);
      return outcome;
    },
    replace: (owner, judge) => judges.replace(owner, judge, clock.now()),
    async list(owner) {
      return [...(await ofHost()), ...(await judges.list(owner))];
    },
    async pinned(owner, digest) {
      if (digest === STANDARD.digest) return STANDARD_JUDGE;
      const content = (await judges.byDigest(owner, digest)) ?? (await judges.byDigest(HOST_OWNER, digest));
      return content as PortableJudge | undefined;
    },
  };
}

const refOf = ({ judgeId, version }: StoredJudge): string => `${judgeId}@${version}`;

function highest(judges: readonly StoredJudge[], wanted: string): StoredJudge | undefined {
  const own = judges.filter(({ judgeId }) => judgeId === wanted);
  const version = highestVersion(own.map((judge) => judge.version));
  return own.find((judge) => judge.version === version);
}

const taken = ({ judgeId, version }: StoredJudge): HostError =>
  new HostError(
    'conflict',
    `Judge ${judgeId}@${version} is installed with other content. Versions do not change: raise the version.`,
  );

/** The files of judges at the places that a configuration names: files, and folders of `*.judge.json` or `.yaml`. */
export function readJudgeFiles(places: readonly string[], baseDir: string): readonly StoredJudge[] {
  return places.flatMap((place) => {
    const path = resolve(baseDir, place);
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder === undefined)
      throw validationError([{ pointer: '/judges', message: `There is no file or folder ${place}.` }]);
    const files = isFolder
      ? readdirSync(path)
          .filter(isJudgeFile)
          .sort()
          .map((name) => join(path, name))
      : [path];
    return files.map((file) => readJudgeFile(readFileSync(file), file));
  });
}

export const isJudgeFile = (name: string): boolean => /\.judge\.(json|ya?ml)$/i.test(name);

/** The judges in a pack: files of its folder `judges`. */
export function packJudges(files: ReadonlyMap<string, Buffer>): readonly StoredJudge[] {
  const found = [...files].filter(([path]) => dirname(path) === 'judges' && /\.(json|ya?ml)$/i.test(path));
  const judges = found.map(([path, bytes]) => readJudgeFile(bytes, path));
  const names = judges.map(refOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw validationError([{ pointer: '', message: `The pack has the judge ${twice} twice.` }], {
      file: 'judges',
    });
  return judges;
}

/** A name that the host has is the host's: no pack of a tenant brings another judge under it. */
export async function checkHostJudges(
  { judges }: Pick<Store, 'judges'>,
  brought: readonly StoredJudge[],
): Promise<void> {
  for (const { judgeId, version, digest } of brought) {
    const hosts = await judges.get(HOST_OWNER, judgeId, version);
    if (hosts && hosts.digest !== digest)
      throw new HostError('conflict', `Judge ${judgeId}@${version} belongs to the host and is another one.`);
  }
}
