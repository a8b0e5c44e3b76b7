import type { RunId } from '@touchstone/protocol';
import type { Io } from '../../io.js';
import { LOCAL_OWNER, type Local } from '../../local.js';
import { createProgressLine, type ProgressScreen } from '../../render/progress.js';

/** Where progress is shown: the stream that results do not go to. */
export const progressScreen = ({ stderr, env, every }: Io): ProgressScreen => ({
  isTTY: stderr.isTTY && env.TERM !== 'dumb',
  columns: stderr.columns,
  write: stderr.write,
  every,
});

/**
 * Drives a run in this process until it is at rest, showing how far it is. The first Ctrl-C lets go of it: tasks in
 * flight are dropped without a trace, finished ones are kept, and the run can be resumed. The second ends the process.
 */
export async function driveRun(
  io: Io,
  { touchstone }: Local,
  runId: RunId,
): Promise<{ readonly interrupted: boolean }> {
  const { stderr } = io;
  const line = createProgressLine(progressScreen(io));
  let interrupted = false;
  const stopListening = io.onSignal(() => {
    if (interrupted) io.exit(130);
    interrupted = true;
    line.clear();
    stderr.write('Stopping. Finished tasks are kept. Press Ctrl-C again to leave at once.\n');
    void touchstone.engine.shutdown();
  });
  const unwatch = touchstone.engine.watch(runId, (progress) => line.update(progress));
  try {
    await touchstone.engine.drive(LOCAL_OWNER, runId);
    if (interrupted) await touchstone.engine.shutdown();
  } finally {
    unwatch();
    line.clear();
    stopListening();
  }
  return { interrupted };
}
