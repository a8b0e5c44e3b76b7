import type { ComponentChildren } from 'preact';

type SectionProps = {
  readonly name: string;
  /** Beside the name: counts, or controls. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A part of a page, under its name. */
export const Section = ({ name, beside, children }: SectionProps) => (
  <section class="part">
    <div class="part-head">
      <h2>{name}</h2>
      {beside}
    </div>
    {children}
  </section>
);
