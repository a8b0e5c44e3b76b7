import type { Issue } from '@touchstone/protocol';
import { MANIFEST_PATH } from './archive/file-table.js';
import type { PackProfile } from './profile-files.js';

/** What compiling a profile has to say: an issue, or a warning. */
type Remark = { readonly pointer?: string; readonly message: string; readonly line?: number };
export type Placed<T> = T & {
  readonly pointer: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
};

/** What stands for a dataset that is no file of the pack. */
const ELSEWHERE = 'dataset';
const PROFILE = '/evaluation';

/**
 * Remarks at their places in the pack. The compiler speaks of a definition in which the profile is the member `evaluation`,
 * and gives a line only to what is about a row.
 */
export function placeInPack<T extends Remark>(
  remarks: readonly T[],
  profile: PackProfile,
): readonly Placed<T>[] {
  const { file, dataset = ELSEWHERE } = profile;
  const own = remarks.flatMap((remark) => inProfile(remark, profile) ?? []);
  const lines = new Map(
    profile.placed(own.map((pointer) => ({ pointer, message: '' }))).map((issue) => [issue.pointer, issue]),
  );
  return remarks.map((remark) => {
    const pointer = inProfile(remark, profile);
    if (pointer !== undefined) return { ...remark, pointer, file, ...placeOf(lines.get(pointer)) };
    if (isOfAgent(remark)) return { ...remark, pointer: '/agents', file: MANIFEST_PATH };
    return { ...remark, pointer: remark.pointer ?? '', file: dataset };
  });
}

const placeOf = ({ line, column }: Partial<Issue> = {}) => ({
  ...(line !== undefined && { line }),
  ...(column !== undefined && { column }),
});

/** Where in the profile's file it leads; undefined for what is about something else. */
function inProfile({ pointer, line }: Remark, { pointer: start }: PackProfile): string | undefined {
  const isOwn = pointer === PROFILE || pointer?.startsWith(`${PROFILE}/`);
  return line === undefined && isOwn ? `${start}${pointer?.slice(PROFILE.length)}` : undefined;
}

/** What a definition says of its agent, a pack says in its manifest. */
const isOfAgent = ({ pointer = '', line }: Remark): boolean =>
  line === undefined && /^\/(?:metadata|policy|capabilities|config|options)(?:\/|$)/.test(pointer);
