import { z } from 'zod';
import { choice, dictionary, envName, flag, id, integer, object, text, textLike } from './fields.ts';
import { HEADER_NAME } from './name-forms.ts';

const LATENCY_MS_MAX = 600_000;

const RATE_MAX = 1_000_000_000;

const limits = object({
  requestsPerMinute: integer(1, RATE_MAX)
    .optional()
    .describe('Requests in a minute; default as the answers show it. Over all processes of one store.'),
  tokensPerMinute: integer(1, RATE_MAX)
    .optional()
    .describe('Tokens in a minute, input and output together; default as the answers show it. Over all processes of one store.'),
  concurrency: integer(1, 1000).default(4).describe('Calls at once to this provider, over all its models and all processes of one store.'),
})
  .prefault({})
  .describe('What this provider takes: of all its models together, and of each "group" of them apart.');

const tokenAccounting = choice(['reserved', 'actual'])
  .default('reserved')
  .describe('What counts against tokensPerMinute: the most that a call may use ("reserved", as most providers count), or what it used.');

const identity = text('a name').optional().describe('Stands for the base URL in the cache key, where the same model moves between URLs.');

const httpUrl = text('an http or https URL').refine(isHttpUrl, { error: 'must be an http or https URL without user, query or fragment' });

/** An empty one is told by the rule before. */
function isHttpUrl(value: string): boolean {
  if (value === '') return true;
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === '';
}

const openai = object({
  type: z.literal('openai').describe('Any server that speaks the OpenAI chat completions protocol.'),
  baseUrl: httpUrl.optional().describe('Where the API is, such as "http://127.0.0.1:8000/v1"; default OpenAI.'),
  apiKeyEnv: envName()
    .optional()
    .describe('Environment variable with the key; default OPENAI_API_KEY at OpenAI, elsewhere no key is sent.'),
  identity,
  stream: flag().default(true).describe('Whether answers are streamed: only so can a dead connection be told from a slow model.'),
  headers: dictionary(
    textLike(HEADER_NAME, 'a header name'),
    textLike(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/, `a reference to an environment variable, such as "\${ORG_ID}"`),
    `header name → "\${ENVIRONMENT_VARIABLE}"`,
  )
    .default({})
    .describe('Further request headers; the values are references to environment variables.'),
  limits,
  tokenAccounting,
});

const replay = object({
  type: z.literal('replay').describe('Answers from a recording; never a network call.'),
  cassette: text('a path').describe('File with the recorded answers, relative to the file that names it.'),
  latencyMs: integer(0, LATENCY_MS_MAX).default(0).describe('How long each answer takes.'),
  limits,
  tokenAccounting,
});

const simulated = object({
  type: z.literal('simulated').describe('Invented answers of the right form, for load tests.'),
  latencyMs: integer(0, LATENCY_MS_MAX).default(0).describe('How long each answer takes.'),
  limits,
  tokenAccounting,
});

const TYPES = 'must be "openai", "replay" or "simulated"';

export const providersSchema = dictionary(
  id(),
  z.discriminatedUnion('type', [openai, replay, simulated], {
    error: ({ code }) => (code === 'invalid_union' ? TYPES : 'must be an object with "type"'),
  }),
  'provider name → provider',
)
  .default({})
  .describe('Where models run. "openai" exists by default.');
