/** Names in the address whose values make no sense. The default counts, and the reader is told. */
export const Ignored = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? null : (
    <p role="status">Not understood in the address, and left out: {names.join(', ')}.</p>
  );

/** The names of the address that have none of their values. */
export const ignoredIn = (
  query: URLSearchParams,
  values: { readonly [name: string]: readonly string[] },
): readonly string[] =>
  Object.entries(values).flatMap(([name, known]) => {
    const given = query.get(name);
    return given === null || known.includes(given) ? [] : [name];
  });
