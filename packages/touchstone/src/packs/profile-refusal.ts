import { HostError, type Issue } from '@touchstone/protocol';

/** An issue that knows which file of the pack it is about, unless it is about the profile itself. */
export type PackIssue = Issue & { readonly file?: string };

/** The refusal of a pack because of an agent's profile: whose, which file, where in it and what. The rest is in the details. */
export function profileRefusal(
  agentId: string,
  error: HostError,
  profile: string,
  found: readonly PackIssue[],
): HostError {
  const { code, scheme } = error.details ?? {};
  const issues = found.map((issue) => ({ ...issue, file: issue.file ?? profile }));
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const words = first ? `${placeOf(first)}: ${first.message}${more}` : `${profile}: ${error.message}`;
  return new HostError(
    error.code,
    `Agent ${agentId}: ${words}`,
    {
      ...(code !== undefined && { code }),
      ...(scheme !== undefined && { scheme }),
      agentId,
      ref: 'evaluation',
      file: first?.file ?? profile,
      issues,
    },
    error,
  );
}

/** `evaluation/rows.jsonl:2:1 /1` */
export function placeOf({ file, line, column, pointer }: PackIssue): string {
  const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined);
  return [place.join(':'), pointer].filter((part) => part !== '').join(' ');
}
