import type { Json } from './canonical-json.ts';
import type { Usage } from './money.ts';

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/** How the answer's form was asked for: by the API's schema, by its JSON mode, or in words only. */
export type StructuredMode = 'json_schema' | 'json_object' | 'prompt';

/** Sampling parameters as the manifest states them; unknown ones are passed through to the server. */
export type ModelParams = {
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly maxOutputTokens?: number;
  readonly [name: string]: Json | undefined;
};

export type OutputForm =
  | { readonly format: 'text' }
  | { readonly format: 'json'; readonly schema: Json | null; readonly strict: boolean; readonly mode: StructuredMode };

/** Four timers of one call, in milliseconds. */
export type CallTimeouts = {
  readonly connectMs: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
};

export type CompletionRequest = {
  /** Lease token of the claim; sent as `X-Client-Request-Id`. */
  readonly callToken: string;
  /** 1-based number of this try; a replay gives the answer recorded for it. */
  readonly attempt: number;
  /** Index of the repeat, from 0; never sent. Tells recorded answers to one body apart. */
  readonly repeat?: number;
  readonly model: string;
  /** Prompts of one key begin alike: servers that route by it find their cache. Sent where the vendor takes it; changes no answer. */
  readonly promptCacheKey?: string;
  readonly messages: readonly Message[];
  readonly params: ModelParams;
  readonly output: OutputForm;
  readonly timeouts: CallTimeouts;
};

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'other';

/** One answer as it came, before parsing. Stored whole before anything else happens to it. */
export type Completion = {
  readonly content: string;
  readonly refusal: string | null;
  readonly finishReason: FinishReason;
  readonly usage: Usage | null;
  /** What the call cost, where the provider says so itself. */
  readonly reportedCostUsd?: number | undefined;
  /** What the server calls the model. */
  readonly model: string;
  readonly requestId: string | null;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  readonly mode: StructuredMode | null;
  /** The request body as it went over the wire, document text included. */
  readonly wireBody: Json;
};
