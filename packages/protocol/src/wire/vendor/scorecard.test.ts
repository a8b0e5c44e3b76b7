import { expectTypeOf, test } from 'vitest';
import type { Scorecard } from '../../model/scorecard.js';
import type { Wire } from '../schema/build.js';
import type { scorecard } from './scorecard.js';

test('the schema of a scorecard forgets no member of its type, and invents none', () => {
  type Wired = Wire<typeof scorecard>;
  expectTypeOf<Wired>().toExtend<Scorecard>();
  type Result<T extends Pick<Scorecard, 'results'>> = T['results'][number];
  expectTypeOf<Result<Scorecard>>().toExtend<Result<Wired>>();
  expectTypeOf<keyof Result<Scorecard>>().toEqualTypeOf<keyof Result<Wired>>();
  expectTypeOf<Exclude<keyof Scorecard, keyof Wired>>().toEqualTypeOf<never>();
  expectTypeOf<Exclude<keyof Wired, keyof Scorecard>>().toEqualTypeOf<never>();
  type Nested<T> = { [Name in keyof T]-?: keyof NonNullable<T[Name]> };
  expectTypeOf<Nested<Wired>>().toEqualTypeOf<Nested<Scorecard>>();
  expectTypeOf<Nested<Wired['summary']>>().toEqualTypeOf<Nested<Scorecard['summary']>>();
});
