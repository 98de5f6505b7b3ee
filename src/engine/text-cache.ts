import type { CanonicalText } from '../domain/document.ts';
import type { Store } from '../store/store.ts';

/** Jobs of one document come together, so a few texts serve nearly all claims. */
const KEPT_TEXTS = 8;

/** The texts stored at plan time, the last few kept in memory. */
export function createTextCache(store: Store): (textSha256: string) => Promise<CanonicalText> {
  const kept = new Map<string, Promise<CanonicalText>>();
  return (textSha256) => {
    const text = kept.get(textSha256) ?? readText(store, textSha256);
    kept.delete(textSha256);
    kept.set(textSha256, text);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_TEXTS && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}

async function readText(store: Store, textSha256: string): Promise<CanonicalText> {
  const text = await store.text(textSha256);
  if (text === null) throw new Error(`the text ${textSha256} of a planned job is not in the store`);
  return text;
}
