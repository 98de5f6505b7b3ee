import { z } from 'zod';
import type { AnswerForm } from '../../checks/parse-answer.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { type Pool, PoolTimeout } from '../../engine/pool.ts';
import { answerFailure } from '../../providers/classify-answer.ts';
import type { CacheEntry } from '../../store/cache-store.ts';

/** What is wrong with an entry that is well formed; `null` when nothing is. */
export type EntryCheck = (entry: CacheEntry) => Promise<string | null>;

/** Clocks of two machines may differ; a day apart, one of them is wrong, or the time is made up. */
const CLOCKS_DIFFER_MS = 86_400_000;

/**
 * Checks what can be checked without asking again: that the answer is what the completion says, and valid by the schema that its key
 * names, as if it had just come; and that it is not from the future. In the threads of the pool, because schemas may hold any pattern.
 */
export function createEntryCheck(pool: Pick<Pool, 'parse'>, now: () => number): EntryCheck {
  return async (entry) => timeProblem(entry, now()) ?? answerFailure(entry.completion)?.message ?? (await answerProblem(pool, entry));
}

function timeProblem(entry: CacheEntry, nowMs: number): string | null {
  for (const name of ['recordedAtMs', 'storedAtMs'] as const) {
    if (entry[name] > nowMs + CLOCKS_DIFFER_MS) return `${name}: in the future (${new Date(entry[name]).toISOString()})`;
  }
  return null;
}

const OUTPUT = z.object({
  output: z.discriminatedUnion('format', [
    z.object({ format: z.literal('json'), schema: z.json() }),
    z.object({ format: z.literal('text') }),
  ]),
});

async function answerProblem(pool: Pick<Pool, 'parse'>, { keyRecord, completion, answer, repaired }: CacheEntry): Promise<string | null> {
  const read = OUTPUT.safeParse(keyRecord);
  if (!read.success) return 'keyRecord.output: does not say what an answer must be';
  const { content, finishReason } = completion;
  const form: AnswerForm = read.data.output;
  const parsed = await pool.parse({ content, form, finishReason }).catch(uncheckable);
  if (typeof parsed === 'string') return parsed;
  if (!parsed.ok) return `the answer is not valid: ${oneLine(parsed.errors.join('; '))}`;
  const isSame = canonicalJson([parsed.answer, parsed.repaired]) === canonicalJson([answer, repaired]);
  return isSame ? null : 'the answer is not what "completion.content" says';
}

/** A schema that is none, or whose pattern never comes to an end. */
function uncheckable(error: unknown): string {
  if (error instanceof PoolTimeout) return `keyRecord.output.schema: ${error.message}`;
  if (error instanceof Error) return `keyRecord.output.schema: ${oneLine(error.message)}`;
  throw error;
}
