import type { Task } from '@touchstone/protocol/bodies';

/** Consecutive tasks of a suite in one row: their ids and themselves, each as the text of a JSON array. */
type Chunk = { readonly firstOrdinal: number; readonly taskIds: string; readonly tasks: string };

const MAX_TASKS = 256;
/** A chunk also ends here, so that a suite of very large inputs is not read back by the hundred megabytes. */
const MAX_CHARACTERS = 1_048_576;

export function chunksOf(tasks: readonly Task[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let texts: string[] = [];
  let size = 0;
  const close = (end: number) => {
    const firstOrdinal = end - texts.length;
    const taskIds = JSON.stringify(tasks.slice(firstOrdinal, end).map((task) => task.taskId));
    chunks.push({ firstOrdinal, taskIds, tasks: `[${texts.join(',')}]` });
    texts = [];
    size = 0;
  };
  for (const [ordinal, task] of tasks.entries()) {
    const text = JSON.stringify(task);
    if (texts.length > 0 && size + text.length > MAX_CHARACTERS) close(ordinal);
    texts.push(text);
    size += text.length;
    if (texts.length === MAX_TASKS) close(ordinal + 1);
  }
  if (texts.length > 0) close(tasks.length);
  return chunks;
}
