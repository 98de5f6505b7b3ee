import { type AnswerOptions, answer, type Scenario, type ScriptedServer, startScriptedServer } from '../../providers/scripted-server.ts';
import { goodAnswer } from '../project.ts';
import type { Limiter } from './limiter.ts';

/** What a request costs by the provider's own count; `cached` is a part of `input`. */
export type Tokens = { readonly input: number; readonly cached?: number; readonly output: number };

/** What the provider does with one request, and what it bills for it: nothing, unless it says so. */
export type Reply = { readonly scenario: Scenario; readonly billed?: Tokens };

/** The request that a reply is chosen for. */
export type Asked = {
  /** 1-based, over all requests. */
  readonly n: number;
  readonly model: string;
  readonly prompt: string;
  readonly body: { readonly [key: string]: unknown };
  /** What a server counts of the prompt, and the most that it may answer. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
};

/** One request, and what became of it. */
export type Served = {
  readonly n: number;
  readonly model: string;
  readonly prompt: string;
  readonly atMs: number;
  /** Requests of this model that were open when it came, itself included. */
  readonly inFlight: number;
  /** `null`: nothing was answered yet. */
  status: number | null;
  billed: Tokens | null;
  open: boolean;
};

export type ScriptableProvider = ScriptedServer & {
  readonly served: readonly Served[];
  /** What the provider's invoice will say, at the prices of `project.ts` unless others are given. */
  readonly billedNanoUsd: () => number;
  /** How often each status was answered. */
  readonly statuses: () => Record<string, number>;
};

export type ProviderScript = {
  readonly respond: (asked: Asked) => Reply | Promise<Reply>;
  /** Refuses what comes too fast, before `respond` is asked. */
  readonly limiter?: Limiter;
  /** Names that `GET /models` lists; without it, 404. */
  readonly models?: readonly string[];
  readonly price?: NanoPrice;
};

/** Nano-USD per token. */
type NanoPrice = { readonly input: number; readonly cached: number; readonly output: number };

/** 1 and 2 USD per million tokens, as the manifest of `project.ts` states. */
const PRICE: NanoPrice = { input: 1000, cached: 1000, output: 2000 };

/** A provider with books of its own: who asked, who was in flight, what was refused and what is billed. The oracle of these tests. */
export async function startProvider({ respond, limiter, models, price = PRICE }: ProviderScript): Promise<ScriptableProvider> {
  const served: Served[] = [];
  const server = await startScriptedServer({
    ...(models === undefined ? {} : { models }),
    respond: async (request) => {
      const asked = askedOf(request);
      const inFlight = 1 + served.filter(({ open, model }) => open && model === asked.model).length;
      const row: Served = { n: asked.n, model: asked.model, prompt: asked.prompt, atMs: performance.now(), inFlight, ...UNANSWERED };
      served.push(row);
      const refusal = limiter?.take(asked, inFlight) ?? null;
      const { scenario, billed = null } = refusal === null ? await respond(asked) : { scenario: refusal };
      return (reply, seen) => {
        reply.on('close', () => {
          row.open = false;
          row.status = reply.headersSent ? reply.statusCode : null;
        });
        row.billed = billed;
        return scenario(reply, seen);
      };
    },
  });
  const statuses = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { status } of served) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
    return counts;
  };
  return { ...server, served, statuses, billedNanoUsd: () => served.reduce((sum, { billed }) => sum + nanoUsd(billed, price), 0) };
}

const UNANSWERED = { status: null, billed: null, open: true };

/** A request costs what the server counts of it: four characters a token. */
function askedOf(request: Parameters<Parameters<typeof startScriptedServer>[0]['respond']>[0]): Asked {
  const { n, prompt, body } = request;
  const most = body.max_completion_tokens ?? body.max_tokens;
  const maxOutputTokens = typeof most === 'number' ? most : 16;
  return { n, prompt, body, model: String(body.model), inputTokens: Math.ceil(prompt.length / 4), maxOutputTokens };
}

function nanoUsd(tokens: Tokens | null, price: NanoPrice): number {
  if (tokens === null) return 0;
  const { input, cached = 0, output } = tokens;
  return (input - cached) * price.input + cached * price.cached + output * price.output;
}

// ── Replies ──

const OUTPUT_TOKENS = 10;

/** A good answer, billed and told. */
export function good(asked: Asked, options: AnswerOptions = {}): Reply {
  return paid(asked, JSON.stringify(goodAnswer(asked.prompt)), options);
}

/** Any answer, billed and told: its input as counted, ten tokens of output. */
export function paid({ inputTokens }: Asked, content: string, options: AnswerOptions = {}, cached = 0): Reply {
  const billed = { input: inputTokens, cached, output: OUTPUT_TOKENS };
  return { scenario: answer(content, { usage: wireUsage(billed), ...options }), billed };
}

/** Any scenario, and what the provider bills for it whether the client learns so or not. */
export function costing({ inputTokens }: Asked, scenario: Scenario, output = OUTPUT_TOKENS): Reply {
  return { scenario, billed: { input: inputTokens, output } };
}

/** Costs nothing. */
export function free(scenario: Scenario): Reply {
  return { scenario };
}

/** `usage` as an OpenAI server writes it. */
export function wireUsage({ input, cached = 0, output }: Tokens): object {
  return {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    prompt_tokens_details: { cached_tokens: cached },
  };
}
