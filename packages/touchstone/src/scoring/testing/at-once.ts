import { checkAtOnce, type ForeignSchemas } from '../../ports/index.js';

const schemas: ForeignSchemas = { fit: () => [], costUs: () => 0 };

/** Every check is made at once, and everything fits every schema. */
export const AT_ONCE = { check: checkAtOnce, schemas };
