/** Tools of other programs have a bare name; here a tool without a scope is local. */
export const toolIdOf = (name: string): string => (/^[^:\s]+:./.test(name) ? name : `local:${name}`);
