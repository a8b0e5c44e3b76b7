/** A name that gives way at its beginning, which many have in common, before it does at its end. */
export function LongName({ name }: { readonly name: string }) {
  const at = name.lastIndexOf('.', name.includes('@') ? name.indexOf('@') : name.length) + 1;
  return (
    <span class="long-name" title={name}>
      <span class="long-name-head">{name.slice(0, at)}</span>
      <span class="long-name-tail">{name.slice(at)}</span>
    </span>
  );
}
