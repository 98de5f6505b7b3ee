import type { CanonicalText } from '../domain/document.ts';
import type { Store } from '../store/store.ts';

/** Jobs of one document come together, so a few texts serve nearly all claims. */
const KEPT_TEXTS = 8;

/** The texts stored at plan time, the last few kept in memory. */
export function createTextCache(store: Store, runId: string): (documentId: string) => Promise<CanonicalText> {
  const kept = new Map<string, Promise<CanonicalText>>();
  return (documentId) => {
    const text = kept.get(documentId) ?? readText(store, runId, documentId);
    kept.delete(documentId);
    kept.set(documentId, text);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_TEXTS && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}

async function readText(store: Store, runId: string, documentId: string): Promise<CanonicalText> {
  const text = await store.canonicalText(runId, documentId);
  if (text === null) throw new Error(`the text of ${documentId}, which has jobs, is not in the store`);
  return text;
}
