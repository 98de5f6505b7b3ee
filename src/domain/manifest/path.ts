/** A step into a JSON value: a key of an object or an index of a list. */
export type PathSegment = string | number;
export type Path = readonly PathSegment[];

/** The path as a JSON pointer (RFC 6901): `/tasks/a~1b/models/0`; empty for the whole value. */
export function pointerOf(path: Path): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const PLAIN_KEY = /^[\w$-]+$/;

/** The path as a person writes it: `tasks.ambiguity.checks[0].at`; keys with other characters stand as `["a.b"]`. */
export function dottedOf(path: Path): string {
  return path.reduce<string>((dotted, segment) => {
    if (typeof segment === 'number') return `${dotted}[${segment}]`;
    if (!PLAIN_KEY.test(segment)) return `${dotted}[${JSON.stringify(segment)}]`;
    return dotted === '' ? segment : `${dotted}.${segment}`;
  }, '');
}

/** The segments of a JSON pointer; an index stays text. */
export function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
