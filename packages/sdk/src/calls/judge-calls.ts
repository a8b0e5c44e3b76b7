import type { JsonObject, JudgeListing, PortableJudge } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { at, type Get, post, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls on portable judges. */
export function judgeCalls(transport: Transport, get: Get) {
  return {
    /** Installs a portable judge. The same again is no change; other content under its version is a conflict. */
    install: (judge: JsonObject, sending?: Sending): Promise<JudgeListing> =>
      post(transport, `${VENDOR}/judges`, judge, sending),
    /** The judges that can be named, without their questions. */
    list: (reading?: Reading): Promise<{ readonly items: readonly JudgeListing[] }> =>
      get(`${VENDOR}/judges`, reading),
    /**
     * A judge as it was installed.
     * @param judgeRef `<judgeId>@<version>`, or the id for the highest version.
     */
    get: (judgeRef: string, reading?: Reading): Promise<PortableJudge> =>
      get(`${VENDOR}/judges/${at(judgeRef)}`, reading),
  };
}
