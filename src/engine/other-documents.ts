import type { Score } from '../domain/score.ts';
import type { Store } from '../store/store.ts';
import { type Pool, PoolTimeout } from './pool.ts';

/** How much one job's quotes may have searched: about a second. */
const MOST_CHARACTERS = 30_000_000;
const MOST_DOCUMENTS = 200;
const MOST_QUOTES = 50;
/** Shorter ones stand everywhere. */
const SHORTEST_QUOTE = 21;

/** Quotes that stand nowhere in their document and are long enough to know where else they are from. */
export function lostQuotes(scores: readonly Score[]): readonly string[] {
  const lost = scores
    .flatMap(({ findings }) => findings)
    .filter(({ quote, evidence }) => evidence.reason === 'not_found' && quote.length >= SHORTEST_QUOTE);
  return [...new Set(lost.map(({ quote }) => quote))].slice(0, MOST_QUOTES);
}

export type OtherDocuments = {
  readonly store: Pick<Store, 'documents' | 'canonicalText'>;
  readonly pool: Pick<Pool, 'seek'>;
  readonly runId: string;
  /** The one whose job this is. */
  readonly documentId: string;
};

/** By quote, the first other document of the run that has it. Large runs are searched in part only: it is an explanation, no proof. */
export async function findElsewhere(quotes: readonly string[], others: OtherDocuments): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  let left: readonly string[] = quotes;
  let characters = 0;
  for (const documentId of await candidates(others)) {
    const document = left.length === 0 ? null : await others.store.canonicalText(others.runId, documentId);
    if (document === null) continue;
    characters += document.text.length;
    if (characters > MOST_CHARACTERS) break;
    for (const quote of await sought(others.pool, { document, quotes: left })) found.set(quote, documentId);
    left = left.filter((quote) => !found.has(quote));
  }
  return Object.fromEntries(found);
}

/** Every text once, and not the document's own. */
async function candidates({ store, runId, documentId }: OtherDocuments): Promise<readonly string[]> {
  const documents = await store.documents(runId);
  const texts = new Map<string, string>();
  for (const { documentId: id, content } of documents) {
    if (content.ok && !texts.has(content.textSha256)) texts.set(content.textSha256, id);
  }
  const own = documents.find((document) => document.documentId === documentId)?.content;
  if (own?.ok === true) texts.delete(own.textSha256);
  return [...texts.values()].slice(0, MOST_DOCUMENTS);
}

async function sought(pool: Pick<Pool, 'seek'>, task: Parameters<Pool['seek']>[0]): Promise<readonly string[]> {
  try {
    return await pool.seek(task);
  } catch (error) {
    // Without it the quote is said to stand nowhere, which is true of its own document.
    if (error instanceof PoolTimeout) return [];
    throw error;
  }
}
