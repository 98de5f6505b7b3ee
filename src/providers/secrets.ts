/** Values that nothing that leaves a provider may hold, compiled once: what `secretsOf` gives. */
export type Secrets = { readonly spelled: RegExp | null };

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

/** Takes keys and header values; of `Bearer abc` also what stands behind the first word, which is sent back alone at times. */
export function secretsOf(values: readonly string[]): Secrets {
  const all = values.flatMap((value) => [value, value.replace(/^\S+\s+/, '')]).filter(({ length }) => length >= SHORTEST_SECRET);
  // Longest first, so that a key is removed whole when another is a part of it.
  const longestFirst = [...new Set(all)].sort((a, b) => b.length - a.length);
  const spellings = longestFirst.flatMap((secret) => [
    spelledText(secret),
    Buffer.from(secret).toString('hex'),
    ...base64Forms(secret).map(spelledBase64),
  ]);
  return { spelled: spellings.length === 0 ? null : new RegExp(spellings.join('|'), 'gi') };
}

/** `text` without the secrets and without anything that looks like a key: for messages, logs and stored error bodies. */
export function scrub(text: string, secrets: Secrets): string {
  return KEY_SHAPES.reduce((clean, shape) => clean.replace(shape, REMOVED), scrubValues(text, secrets));
}

/**
 * `text` without the secrets (those of at least 8 characters), in whatever letter case, and as JSON, URLs, HTML, hexadecimal and base64
 * spell them, each also inside another. For a model's answer: a document about tokens may quote what only looks like a key, and a quote
 * must stay as it is.
 */
export function scrubValues(text: string, { spelled }: Secrets): string {
  return spelled === null ? text : text.replace(spelled, REMOVED);
}

/**
 * The source of a pattern that finds `secret` with any of its characters escaped. Every repetition is bounded, and a run of
 * backslashes is one piece with what follows it, so that no text makes it slow.
 */
function spelledText(secret: string): string {
  const pieces = secret.match(/\\*[^\\]|\\+$/gu) ?? [];
  return pieces.map(spelledPiece).join('');
}

function spelledPiece(piece: string): string {
  const char = piece.replace(/^\\+/, '');
  const count = piece.length - char.length;
  if (count === 0) return spelledCharacter(char, '\\\\{0,8}');
  const one = `(?:\\\\{1,8}${inJavaScript('\\')}|${inUrl('\\')}|${inHtml('\\')})`;
  const [afterPlain, afterEscaped] = char === '' ? ['', ''] : [spelledCharacter(char, ''), spelledCharacter(char, '\\\\{0,8}')];
  // A plain run takes the backslashes of the next character, too.
  return `(?:\\\\{${count},${8 * count + 8}}${afterPlain}|${one}{${count}}${afterEscaped})`;
}

function spelledCharacter(char: string, backslashes: string): string {
  const literal = char === ' ' ? '[ +]' : char.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
  return `(?:${backslashes}(?:${literal}|${inJavaScript(char)})|${inUrl(char)}|${inHtml(char)})`;
}

function inJavaScript(char: string): string {
  const digits = hex(char.codePointAt(0) ?? 0);
  return `(?:u${digits.padStart(4, '0')}|x${digits})`;
}

/** `%41`, or `%2541` where it was done twice. */
function inUrl(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%(?:25){0,3}${hex(byte)}`).join('');
}

const HTML_NAMES: ReadonlyMap<string, string> = new Map([
  ['&', 'amp;'],
  ['<', 'lt;'],
  ['>', 'gt;'],
  ['"', 'quot;'],
  ["'", 'apos;'],
]);

function inHtml(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const forms = [`#0{0,6}${code};`, `#x0{0,6}${hex(code)};`, ...[HTML_NAMES.get(char) ?? []].flat()];
  return `&(?:amp;){0,3}(?:${forms.join('|')})`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** The characters of base64 that depend on the secret alone, for each of the three places it can have in a longer text. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(start, end);
  });
}

/** Both alphabets; only `+` and `/` are ever escaped. */
function spelledBase64(form: string): string {
  return form.replace(/[+/]/g, (char) => `(?:${spelledPiece(char)}|${char === '+' ? '-' : '_'})`);
}
