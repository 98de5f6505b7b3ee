/** What keys and tokens of the known services look like, wherever they stand. `sk-` needs a digit: file names may begin so. */
const SECRET_SHAPES: readonly RegExp[] = [
  /(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{12,}/g,
  /(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|gsk_|hf_|xai-|glpat-|nvapi-|xox[abprs]-)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/g,
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
  /(?<=\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{12,}/gi,
  /(?<=^[a-z][a-z0-9+.-]*:\/\/)[^/\s:@]*:[^/\s@]+(?=@)/gim,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
];

const SECRET_NAME = /^(?:x-)?(?:api[-_]?key|key|(?:access|auth|bearer|api)?[-_]?token|secret|pass(?:word|wd)|(?:proxy-)?authorization)$/i;

/** A value behind a key that names a secret, quoted or not, for text whose syntax may be broken. */
const NAMED_VALUE =
  /(?<=(?:^|[\s{,"'])(?:x-)?(?:api[-_]?key|(?:access|auth|bearer|api)?[-_]?token|secret|pass(?:word|wd)|authorization)["']?\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',{}[\]]+)/gi;

/** Whether anything in `text` has the shape of a key or a token. */
export function looksLikeSecret(text: string): boolean {
  return SECRET_SHAPES.some((shape) => text.search(shape) !== -1);
}

/** Whether a key of this name holds a secret, whatever its value looks like. */
export function namesSecret(key: string): boolean {
  return SECRET_NAME.test(key);
}

/** `text` with every secret replaced by as many asterisks, so that columns stay true. */
export function maskSecrets(text: string): string {
  return [...SECRET_SHAPES, NAMED_VALUE].reduce((masked, shape) => masked.replace(shape, (found) => '*'.repeat(found.length)), text);
}
