import { z } from 'zod';
import { editDistance } from '../nearest.ts';
import { choice, dictionary, id, integer, json, list, number, object, text, textLike, withRule } from './fields.ts';

const DAY_MS = 86_400_000;
const TOKENS_MAX = 100_000_000;

const timeMs = (fallback: number) => integer(1, DAY_MS).default(fallback);

const timeouts = object({
  connectMs: timeMs(10_000).describe('Until the connection stands.'),
  firstTokenMs: timeMs(120_000).describe('Until the first piece of the answer.'),
  idleMs: timeMs(60_000).describe('Between two pieces of the answer.'),
  totalMs: timeMs(600_000).describe('For the whole call.'),
})
  .prefault({})
  .describe('Time limits of one call, in milliseconds.');

const usdPerMTok = () => number(0, 1_000_000);

const unitPrices = {
  inputPerMTok: usdPerMTok().describe('Input.'),
  cachedInputPerMTok: usdPerMTok().optional().describe('Input that the provider read from its cache; default the input price.'),
  cacheWritePerMTok: usdPerMTok().optional().describe('Input that the provider wrote to its cache; default the input price.'),
  outputPerMTok: usdPerMTok().describe('Output, reasoning included.'),
};

const tier = object({
  inputTokens: integer(1, TOKENS_MAX).describe('Longest input, in tokens, that does not cost these prices.'),
  ...unitPrices,
});

const price = z
  .union(
    [
      z.literal('free'),
      object({
        ...unitPrices,
        above: list(tier, 'prices of longer requests')
          .optional()
          .describe('Prices of requests with a longer input; they hold for all tokens of such a request.'),
        asOf: textLike(/^\d{4}-\d{2}-\d{2}$/, 'a date such as "2026-11-01"')
          .optional()
          .describe('Day on which these prices were looked up.'),
      }),
    ],
    { error: 'must be "free" or an object with "inputPerMTok" and "outputPerMTok"' },
  )
  .optional()
  .describe('USD per million tokens, or "free". Default, at the largest vendors, their list price; else the cost is unknown.');

/** Names that other tools use for what has a name here, and fields of the request that aieval sets itself. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'maxOutputTokens'],
  ['max_completion_tokens', 'maxOutputTokens'],
  ['max_output_tokens', 'maxOutputTokens'],
  ['maxTokens', 'maxOutputTokens'],
  ['top_p', 'topP'],
]);
const SET_BY_AIEVAL: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options', 'response_format', 'n']);

/** Only the long names: `topK` is no slip of `topP`. */
const EASILY_MISSPELT = ['temperature', 'maxOutputTokens'];
const SLIPS = 2;

function paramProblem(name: string): string | null {
  if (SET_BY_AIEVAL.has(name)) return 'is set by aieval: remove it';
  const known = OWN_NAMES.get(name) ?? EASILY_MISSPELT.find((each) => each !== name && editDistance(each, name) <= SLIPS);
  return known === undefined ? null : `is not known. Did you mean "${known}"?`;
}

const params = withRule(
  object({
    temperature: number(0, 2).exactOptional().describe('Randomness; 0 for the most likely answer.'),
    topP: number(0, 1).exactOptional().describe('Share of the probability from which tokens are drawn.'),
    seed: integer(0, Number.MAX_SAFE_INTEGER).exactOptional().describe('Seed, where the server takes one.'),
    maxOutputTokens: integer(1, TOKENS_MAX)
      .exactOptional()
      .describe(
        'Longest answer, in tokens; default what the server allows: 1024 of the context are then kept for it, and the cost of a first answer is unknown.',
      ),
  }).catchall(json()),
  (values, report) => {
    for (const name of Object.keys(values)) {
      const message = paramProblem(name);
      if (message !== null) report([name], message);
    }
  },
)
  .default({})
  .describe('Parameters of each request; those not listed here go to the server as they are.');

const model = object(
  {
    provider: text('a name in "providers"').default('openai').describe('Name in "providers".'),
    model: text('the name by which the provider knows the model').describe('What the provider calls the model.'),
    group: text('a name')
      .optional()
      .describe("Models of one group share a quota: the provider's limits hold for them, apart from its other models."),
    params,
    price,
    contextTokens: integer(1, TOKENS_MAX)
      .optional()
      .describe(
        'Size of the context: longer prompts are found before anything is spent; default unknown: none is then found, and a task with chunk cuts documents of more than 16000 tokens.',
      ),
    structuredOutput: choice(['auto', 'json_schema', 'json_object', 'prompt'])
      .default('auto')
      .describe('How the form of the answer is asked for; "auto" begins with "json_schema" and falls back.'),
    timeouts,
  },
  'an object with "model"',
);

export const modelsSchema = dictionary(id(), model, 'model name → model')
  .refine((models) => Object.keys(models).length > 0, { error: 'must name at least one model' })
  .describe('Models to ask, by names of your choice.');
