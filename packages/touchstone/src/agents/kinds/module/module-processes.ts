import type { Clock } from '../../../ports/index.js';
import { MODULE_WORKER, type ModuleWorker } from '../../../threads/index.js';
import { launchProcess, type ModuleProcess } from './module-process.js';

/** The processes in which module agents live. */
export type ModuleProcesses = {
  /** One for an agent that may use so much memory. */
  start(memoryMb: number): ModuleWorker;
  /**
   * From now on one process is ready before an agent needs it: starting one takes longer than opening a run. Each is used by one agent.
   */
  keepReady(memoryMb: number): void;
  close(): Promise<void>;
};

/** The end of an agent is the end of a run, which still has work to do. */
const REST_MS = 1_000;

export function createModuleProcesses(
  clock: Clock,
  launch = (memoryMb: number): ModuleProcess => launchProcess(memoryMb, MODULE_WORKER, clock),
): ModuleProcesses {
  const closed = new AbortController();
  let wantedMb: number | undefined;
  let spare: { readonly memoryMb: number; readonly process: ModuleProcess } | undefined;

  const prepare = (): void => {
    if (spare || wantedMb === undefined || closed.signal.aborted) return;
    spare = { memoryMb: wantedMb, process: launch(wantedMb) };
  };
  const prepareLater = (): void => {
    if (wantedMb !== undefined) clock.sleep(REST_MS, closed.signal).then(prepare, () => undefined);
  };
  const takeSpare = (memoryMb: number): ModuleProcess | undefined => {
    if (spare?.memoryMb !== memoryMb) return undefined;
    const { process } = spare;
    spare = undefined;
    // It may have been ended by something else.
    return process.isAlive() ? process : undefined;
  };
  return {
    start(memoryMb) {
      const process = takeSpare(memoryMb) ?? launch(memoryMb);
      return { ...process, terminate: () => process.terminate().finally(prepareLater) };
    },
    keepReady(memoryMb) {
      wantedMb = memoryMb;
      prepare();
    },
    async close() {
      closed.abort();
      await spare?.process.terminate();
      spare = undefined;
    },
  };
}
