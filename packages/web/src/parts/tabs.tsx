type TabsProps = {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly href: string; readonly isCurrent: boolean }[];
};

/** Views of one thing. Each has an address of its own, so they are links. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, href, isCurrent }) => (
      <a key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
