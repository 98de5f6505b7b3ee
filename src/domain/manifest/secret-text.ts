/** What keys and tokens of the known services look like, wherever they stand. `sk-` needs a digit: file names may begin so. */
const SECRET_SHAPES: readonly RegExp[] = [
  /(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{12,}/g,
  /(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|gsk_|hf_|xai-|glpat-|nvapi-|xox[abprs]-)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/g,
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
  /(?<=\b(?:Bearer|Basic)\s{1,20})[A-Za-z0-9._~+/=-]{12,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
];

/** Of a value that is a URL; one within a text may be an example. */
const WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/im;

const SECRET_NAME = /^(?:x-)?(?:api[-_]?key|key|(?:access|auth|bearer|api)?[-_]?token|secret|pass(?:word|wd)|(?:proxy-)?authorization)$/i;

/**
 * A value behind a key that names a secret, quoted or not, for text whose syntax may be broken: where neither its end nor the next key follows
 * a quotation mark, it is to the end of the line.
 */
const NAMED_VALUE =
  /(?<=(?:^|[\s{,"'])(?:x-)?(?:api[-_]?key|(?:access|auth|bearer|api)?[-_]?token|secret|pass(?:word|wd)|authorization)["']?\s{0,20}:\s{0,20})(?:(?:"(?:[^"\\]|\\.)*"|'[^']*')(?=\s*(?:[\]},#/]|$)|\s+["'])|["'].*|[^\s"',{}[\]][^"',{}[\]\r\n]*)/gim;

/**
 * Password and all, to the last `@` before white space or a quotation mark: it may hold what a URL writes otherwise. Its slashes may be
 * those of a JSON text, `\/`. Lengths are bounded, so that no file takes long.
 */
const URL_PASSWORD = /(?<=[a-z][a-z0-9+.-]{1,30}:(?:\\?\/){1,2}[^\s:@/"'`[]{0,200}:)[^\s"'`]{1,1000}(?=@)/gi;

/** What follows a user where no `@` does: with white space or a quotation mark in it a password ends nobody knows where. A port is none. */
const OPEN_PASSWORD =
  /(?<=[a-z][a-z0-9+.-]{1,30}:(?:\\?\/){2}[^\s:@/"'`[]{0,200}:)(?![^\s"'`]{0,1000}@|\d{1,5}(?![\w%$!~*+=-]))[^\s"'`][^\r\n]*/gi;

const PARAMETER =
  /(?<=[?&](?:(?:api[-_]?)?key|sig(?:nature)?|(?:access|auth|api)?[-_]?token|(?:client[-_]?)?secret|(?:ssl)?pass(?:word|wd)?)=)[^&#\s"'`]+/gi;
/** As libpq takes it in the place of a URL. */
const WORD = /(?<=(?:^|[\s"'`])(?:ssl)?password\s?=\s?)(?:'[^']*'?|[^\s"'`]+)/gi;

/** Whether anything in `text` has the shape of a key or a token. */
export function looksLikeSecret(text: string): boolean {
  return WITH_PASSWORD.test(text) || SECRET_SHAPES.some((shape) => text.search(shape) !== -1);
}

/** Whether a key of this name holds a secret, whatever its value looks like. */
export function namesSecret(key: string): boolean {
  return SECRET_NAME.test(key);
}

/** `text` with the passwords of URLs, and what of their parameters is secret, replaced by as many asterisks. */
export function maskAddresses(text: string): string {
  return masked(text, [URL_PASSWORD, OPEN_PASSWORD, PARAMETER, WORD]);
}

/** `text` with every secret replaced by as many asterisks, so that columns stay true. */
export function maskSecrets(text: string): string {
  return masked(maskAddresses(text), [...SECRET_SHAPES, NAMED_VALUE]);
}

function masked(text: string, shapes: readonly RegExp[]): string {
  return shapes.reduce((left, shape) => left.replace(shape, (found) => '*'.repeat(found.length)), text);
}
