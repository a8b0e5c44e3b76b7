// What callers asked for and were told: the truth that the store is held to at the end.

export function createLedger() {
  const runs = [];
  return {
    runs,
    /** A run that a caller wants, under an idempotency key of its own. */
    add(tenant, suite) {
      const entry = {
        tenant,
        suite,
        key: `key-${runs.length}`,
        runId: undefined,
        cancelled: false,
        ended: false,
      };
      runs.push(entry);
      return entry;
    },
    /** The answer names a run; a key that names two is a broken promise. */
    acknowledge(entry, runId, findings) {
      if (entry.runId !== undefined && entry.runId !== runId)
        findings.add('an idempotency key has two runs', `${entry.key}: ${entry.runId}, ${runId}`);
      entry.runId ??= runId;
    },
    open: (tenant) =>
      runs.filter((entry) => entry.runId && !entry.ended && (!tenant || entry.tenant === tenant)),
    known: () => runs.filter((entry) => entry.runId),
  };
}
