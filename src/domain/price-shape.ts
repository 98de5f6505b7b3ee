import type { Price, UnitPrices } from './money.ts';
import { either, type Is, isNumber, isText, listOf, objectOf, oneOf, optional, orNull } from './shape.ts';

const UNIT_PRICES: { readonly [Name in keyof UnitPrices]-?: Is<UnitPrices[Name]> } = {
  inputPerMTok: isNumber,
  cachedInputPerMTok: optional(isNumber),
  cacheWritePerMTok: optional(isNumber),
  outputPerMTok: isNumber,
};

/** What a model costs, as it is stored. */
export const isPrice: Is<Price | 'free' | null> = orNull(
  either(
    oneOf('free'),
    objectOf<Price>({
      ...UNIT_PRICES,
      above: optional(listOf(objectOf({ ...UNIT_PRICES, inputTokens: isNumber }))),
      asOf: optional(isText),
      listed: optional(oneOf(true)),
    }),
  ),
);
