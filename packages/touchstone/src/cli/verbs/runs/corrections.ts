import { type TaskId, type Timestamp, timestampOf } from '@touchstone/protocol';
import type { LocalTouchstone } from '../../../app/index.js';
import type { Run } from '../../../ports/index.js';
import { LOCAL_OWNER } from '../../local.js';

/** What a person said that a score should have been. The note is content. */
export type Correction = {
  readonly annotationId: string;
  readonly score: number;
  readonly by: string;
  readonly at: Timestamp;
  readonly note?: string;
};

/** All corrections of one task's score, oldest first: the last one counts. */
export async function correctionsOf(
  { annotations }: LocalTouchstone,
  { runId }: Run,
  taskId: TaskId,
): Promise<readonly Correction[]> {
  const notes = new Map(
    (await annotations.list(LOCAL_OWNER, runId)).map(({ annotationId, note }) => [annotationId, note]),
  );
  const overrides = await annotations.overridesOf(LOCAL_OWNER, runId);
  return overrides
    .filter((override) => override.taskId === taskId)
    .map(({ annotationId, override, by, at }) => {
      const note = notes.get(annotationId);
      return { annotationId, score: override.score, by, at: timestampOf(at), ...(note && { note }) };
    });
}

export const withoutNote = ({ note: _, ...facts }: Correction): Correction => facts;
