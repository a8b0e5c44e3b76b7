import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { type OpenedEnvelope, openEnvelope, sealStatement } from '../envelope.js';
import { createSigningKey, publicKeyOf, type TrustedKey } from '../keys.js';
import { statementOf } from '../statement.js';
import { FULL_CARD, HOST, KNOWN_PRIVATE_KEY, refusalOf } from './cards.js';

export const SIGNING = { keyId: 'acme-2026', privateKey: KNOWN_PRIVATE_KEY };
export const TRUSTED: TrustedKey = { keyId: 'acme-2026', publicKey: publicKeyOf(KNOWN_PRIVATE_KEY) };
export const STRANGER = createSigningKey();
export const OTHER = { keyId: 'other-2026', publicKey: createPublicKey(STRANGER.publicKey) };

export const STATEMENT = statementOf(FULL_CARD, HOST);
export const SEALED = sealStatement(STATEMENT, SIGNING);

type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid?: string; readonly sig: string }[];
};
export const parts = (text: string): Envelope => JSON.parse(text) as Envelope;
export const changed = (members: object): string => JSON.stringify({ ...parts(SEALED), ...members });

// Written from the DSSE protocol page and sharing nothing with the code under test.
export const pae = (type: string, body: Buffer): Buffer =>
  Buffer.concat(
    ['DSSEv1', type.length, type, body.length, body].flatMap((piece, index) => [
      Buffer.from(index > 0 ? ' ' : ''),
      Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)),
    ]),
  );
export const IN_TOTO = 'application/vnd.in-toto+json';

/** An envelope around any bytes, properly signed with a key that is trusted. */
export function signed(body: Buffer, keyid = 'acme-2026', type = IN_TOTO): string {
  const sig = sign(null, pae(type, body), createPrivateKey(KNOWN_PRIVATE_KEY)).toString('base64');
  return JSON.stringify({
    payloadType: type,
    payload: body.toString('base64'),
    signatures: [{ keyid, sig }],
  });
}
export const signedJson = (value: unknown): string => signed(Buffer.from(JSON.stringify(value)));

export const open = (text: string, keys = [TRUSTED, OTHER]): OpenedEnvelope => openEnvelope(text, keys);
export const refusal = (text: string, keys = [TRUSTED, OTHER]) => refusalOf(() => open(text, keys));

/** What becomes of a file: its state, or `refused`. */
export function outcomeOf(text: string): string {
  let state = 'refused';
  refusalOf(() => {
    state = open(text).signature.state;
  });
  return state;
}
