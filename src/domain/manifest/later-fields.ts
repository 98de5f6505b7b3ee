import type { Path } from './path.ts';

/** Fields of the format that this version does not know how to honour: refused by name, so that nothing is silently ignored. */
const LATER_FIELDS: ReadonlySet<string> = new Set([
  'baseline',
  'hiddenText',
  'review',
  'waivers',
  'allowHosts',
  'tasks.*.requires',
  'gate.maxRegressions',
]);

const LATER_CHECK_TYPES: ReadonlySet<string> = new Set(['gold', 'agree', 'judge', 'command', 'coverage']);

/** Below these the user chooses the keys. */
const DICTIONARIES: ReadonlySet<string> = new Set(['providers', 'models', 'tasks']);

/** Whether the field at `path` belongs to a later version. */
export function isLaterField(path: Path): boolean {
  const [first = '', second, ...rest] = path;
  const named = typeof first === 'string' && DICTIONARIES.has(first) && second !== undefined ? [first, '*', ...rest] : path;
  return LATER_FIELDS.has(named.join('.'));
}

/** Whether checks of this type belong to a later version. */
export function isLaterCheckType(type: unknown): boolean {
  return typeof type === 'string' && LATER_CHECK_TYPES.has(type);
}
