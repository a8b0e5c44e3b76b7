import { createClient } from '@touchstone/sdk';
import type { PageFile } from '@touchstone/sdk/view';
import type { Source } from '../source.js';
import { answerFrom } from './answers.js';

/** The file that this page is in. No request is ever made: what a host would answer is made of the data. */
export const fileSource = (file: PageFile): Source => ({
  client: createClient({
    // A client needs an address; nobody is asked there.
    baseUrl: 'http://file.invalid',
    fetch: async (url, { body }) => {
      const { status, answer } = answerFrom(file, new URL(url), typeof body === 'string' ? body : undefined);
      return new Response(JSON.stringify(answer), { status });
    },
    retry: { attempts: 1, streamAttempts: 1 },
  }),
  readSession: async () => ({
    ...{ tenant: '', workspace: '', principal: '' as never, roles: [], scopes: ['runs:read'] },
    host: { version: file.version },
  }),
  isFile: true,
  hasContent: file.content !== 'left-out',
});
