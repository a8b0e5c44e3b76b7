/** A JSON Schema, as far as our schemas use the language. */
export type SchemaNode = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  /** Says in words what a `pattern` asks for. */
  readonly title?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly propertyNames?: SchemaNode;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
};

/** A schema and the address that its references start from. */
export type Located = { readonly node: SchemaNode; readonly base: string };
/** Finds the schema that a `$ref` leads to, starting from the address of the document that holds it. */
export type Resolve = (reference: string, base: string) => Located;
