import { choice, integer, number, object, positive, textLike, withRule } from './fields.ts';

const USD_MAX = 1_000_000;
const TOKENS_MAX = 1_000_000_000_000;
const MINUTES_MAX = 1_000_000;

/** Share of a bound from which on a person is warned, for want of another. */
export const DEFAULT_WARN_AT = 0.8;

const usd = () => number(0, USD_MAX);

const group = object({
  name: textLike(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a name of letters, digits, ".", "_" and "-"').describe('Team or project.'),
  usd: usd().describe('The most that all runs of the group may spend, in USD.'),
  per: choice(['month', 'total']).default('total').describe('In a calendar month (UTC), or in all.'),
})
  .optional()
  .describe('A budget over all runs that name the group.');

const BOUNDS = ['usd', 'tokens', 'minutes', 'group'];

export const budgetSchema = withRule(
  object({
    usd: usd().optional().describe('The most that the run may spend, in USD; needs a price and params.maxOutputTokens of each model.'),
    tokens: integer(1, TOKENS_MAX).optional().describe('The most tokens, input and output; needs params.maxOutputTokens of each model.'),
    minutes: positive(MINUTES_MAX).optional().describe('The longest time in which somebody works on the run.'),
    warnAt: number(0, 1).default(DEFAULT_WARN_AT).describe('Share of a bound from which on you are warned.'),
    group,
  }),
  (budget, report) => {
    if (BOUNDS.every((bound) => budget[bound] === undefined)) report([], 'needs "usd", "tokens", "minutes" or "group"');
  },
)
  .optional()
  .describe('Hard bounds: no call is made that could break one. Counted over all processes, retries included.');
