import { type Checker, CheckOverLimit } from '../../ports/index.js';
import { MASKED, MASKING } from '../../scoring/index.js';

/** Per character, where every one of them could begin a secret. */
const MASKING_US = 2;

/** Takes secrets out of texts of one tenant. A text that cannot be searched in time is withheld whole. */
export const maskWith =
  (check: Checker) =>
  async (text: string): Promise<string> => {
    try {
      return await check(MASKING, text, text.length * MASKING_US);
    } catch (error) {
      if (error instanceof CheckOverLimit) return MASKED;
      throw error;
    }
  };
