// What was done and found, for people and for CI.

/** Prints figures and findings; answers the exit code. */
export function report(name, { seed, findings }, figures) {
  for (const [what, value] of Object.entries(figures)) console.log(`${what}: ${JSON.stringify(value)}`);
  const broken = findings.list();
  for (const { what, count, examples } of broken)
    console.log(`BROKEN ${what} (${count}×)\n  ${examples.join('\n  ')}`);
  const words = broken.length > 0 ? `${broken.length} kinds of findings` : 'everything held';
  console.log(`${name}: ${words}, seed ${seed}`);
  return broken.length > 0 ? 1 : 0;
}
