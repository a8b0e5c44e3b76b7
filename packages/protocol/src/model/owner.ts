/** The pair that scopes every stored row. Two owners never see each other's rows. */
export type Owner = { readonly tenant: string; readonly workspace: string };

/** Who is calling: an opaque id, the owner it acts for, and what it may do. */
export type Principal = {
  readonly id: string;
  readonly owner: Owner;
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<string>;
};

/** Things loaded at boot belong to the host itself; no credential can ever carry this tenant (`~` is refused in names). */
export const HOST_OWNER: Owner = Object.freeze({ tenant: '~host', workspace: '~' });
