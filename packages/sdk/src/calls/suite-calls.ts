import type {
  InstalledSuite,
  JsonObject,
  Page,
  SuiteHistory,
  SuiteInstallation,
  SuiteListing,
  SuiteSignature,
} from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { at, type Get, type PageQuery, post, posting, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls on suites. */
export function suiteCalls(transport: Transport, get: Get) {
  return {
    /**
     * Installs a suite. The same suite twice is one installation; other content under the same version is refused
     * with `conflict`.
     */
    install: async (
      suite: JsonObject,
      {
        envelope,
        ...sending
      }: Sending & {
        /** The DSSE envelope that was signed for the suite, as text. The host holds it against its trust policy. */
        readonly envelope?: string;
      } = {},
    ): Promise<SuiteInstallation> => {
      const headers = envelope === undefined ? {} : { 'touchstone-suite-envelope': base64Of(envelope) };
      const call = { ...posting(`${VENDOR}/suites`, suite, sending), headers };
      const { body, headers: answered } = await transport.reply<SuiteInstallation>(call);
      const outcome = answered.get('touchstone-outcome');
      return outcome === 'created' || outcome === 'same' ? { ...body, outcome } : body;
    },
    /**
     * Who has signed a suite, with the envelope. Refused with `not_found` when no trusted key has.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    signature: (suiteRef: string, reading?: Reading): Promise<SuiteSignature> =>
      get(`${VENDOR}/suites/${at(suiteRef)}/signature`, reading),
    /** The installed suites without their tasks. */
    list: (page: PageQuery = {}, reading?: Reading): Promise<Page<SuiteListing>> =>
      get(`${VENDOR}/suites`, reading, page),
    /**
     * A suite as it was installed, tasks included.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    get: (suiteRef: string, reading?: Reading): Promise<JsonObject> =>
      get(`${VENDOR}/suites/${at(suiteRef)}`, reading),
    /**
     * A suite without its tasks.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    head: (suiteRef: string, reading?: Reading): Promise<SuiteListing> =>
      get(`${VENDOR}/suites/${at(suiteRef)}/head`, reading),
    /** Checks a suite as an installation would, and installs nothing. Throws `validation_error` with every issue. */
    check: (suite: JsonObject, sending?: Sending): Promise<InstalledSuite> =>
      post(transport, `${VENDOR}/suites:check`, suite, sending),
    /**
     * The completed runs of a suite, oldest first.
     * @param suiteRef The id for all versions, or `<suiteId>@<version>` for one.
     */
    history: (
      suiteRef: string,
      filter: {
        /** Only runs of this agent. */
        readonly agentId?: string;
        /** The most runs; the newest are kept. */
        readonly limit?: number;
      } = {},
      reading?: Reading,
    ): Promise<SuiteHistory> => get(`${VENDOR}/suites/${at(suiteRef)}/history`, reading, filter),
  };
}

/** Of text, on a page too, where there is no Buffer. */
const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
