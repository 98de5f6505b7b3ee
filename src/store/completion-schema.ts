import { z } from 'zod';

const COUNT = z.int().min(0);

/** A completion as it comes back from a file: spooled by a process that could not store it, or exported by another store. */
export const COMPLETION = z.object({
  content: z.string(),
  refusal: z.string().nullable(),
  finishReason: z.enum(['stop', 'length', 'content_filter', 'tool_calls', 'other']),
  usage: z.object({ uncachedInput: COUNT, cacheRead: COUNT, cacheWrite: COUNT, output: COUNT, reasoning: COUNT }).nullable(),
  reportedCostUsd: z.number().min(0).optional(),
  model: z.string(),
  requestId: z.string().nullable(),
  latencyMs: z.number().min(0),
  firstTokenMs: z.number().min(0).nullable(),
  mode: z.enum(['json_schema', 'json_object', 'prompt']).nullable(),
  wireBody: z.json(),
});
