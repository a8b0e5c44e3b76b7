import { startServer } from './postgres.js';

/** With TOUCHSTONE_TEST_STORE=postgres one server for all flows, unless the environment names one. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TOUCHSTONE_TEST_STORE !== 'postgres' || process.env.TOUCHSTONE_TEST_POSTGRES)
    return undefined;
  const server = await startServer();
  process.env.TOUCHSTONE_TEST_POSTGRES = server.url;
  return server.stop;
}
