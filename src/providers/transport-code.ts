import { isRecord, textAt } from './json-shape.ts';

/** `fetch failed` → a socket error → for several addresses an AggregateError of them: four levels, with room. */
const DEEPEST = 8;

/** Ours: undici refuses some ports and gives no code. */
export const BAD_PORT = 'BAD_PORT';

/** The system's or undici's own code (`ECONNREFUSED`, `UND_ERR_SOCKET`) from the depths of an error; `null` when there is none. */
export function errorCode(error: unknown, depth = 0): string | null {
  if (depth > DEEPEST || !isRecord(error)) return null;
  const own = textAt(error, 'code');
  if (own !== null) return own;
  if (error instanceof Error && error.message === 'bad port') return BAD_PORT;
  const inner = Array.isArray(error.errors) ? [error.cause, ...error.errors] : [error.cause];
  for (const cause of inner) {
    const found = errorCode(cause, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
