/** Shorter values, such as the `none` of a local server, are words of ordinary text and protect nothing. */
const SHORTEST_SECRET = 8;
const REMOVED = '[removed]';

/** What keys look like, whoever's they are. `\b` keeps `risk-…` and the like. */
const KEY_SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_*-]{12,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{12,}/gi,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b(?:gsk_|xai-|hf_|gh[pousr]_|github_pat_)[A-Za-z0-9_-]{16,}/g,
];

/** `text` without the given values and without anything that looks like a key: for messages, logs and stored error bodies. */
export function scrub(text: string, secrets: readonly string[]): string {
  return KEY_SHAPES.reduce((clean, shape) => clean.replace(shape, REMOVED), scrubValues(text, secrets));
}

/**
 * `text` without the given values (those of at least 8 characters). For a model's answer: a document about tokens may quote what
 * only looks like a key, and a quote must stay as it is.
 */
export function scrubValues(text: string, secrets: readonly string[]): string {
  return spellings(secrets).reduce((clean, secret) => clean.replaceAll(secret, REMOVED), text);
}

/** Longest first, so that a key is removed whole when another is a part of it; also as JSON and URLs spell them. */
function spellings(secrets: readonly string[]): string[] {
  const values = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const all = values.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}
