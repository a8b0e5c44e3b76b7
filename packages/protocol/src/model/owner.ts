/** The pair that scopes every stored row. Two owners never see each other's rows. */
export type Owner = {
  /** The outermost boundary between customers. */
  readonly tenant: string;
  /** A part of the tenant; `main` unless a key says otherwise. */
  readonly workspace: string;
};

/** Who is calling: an opaque id, the owner it acts for, and what it may do. */
export type Principal = {
  /** Opaque, never a personal name. Stands in events and in the audit log. */
  readonly id: string;
  /** Whose rows it may see. */
  readonly owner: Owner;
  /** Those of its key, as configured. */
  readonly roles: readonly string[];
  /** What those roles allow together; `*` allows everything. */
  readonly scopes: ReadonlySet<string>;
};

/** Things loaded at boot belong to the host itself; no credential can ever carry this tenant (`~` is refused in names). */
export const HOST_OWNER: Owner = Object.freeze({ tenant: '~host', workspace: '~' });
