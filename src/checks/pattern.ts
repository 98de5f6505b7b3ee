/**
 * A regular expression in Unicode mode, or as it is where Unicode mode refuses the pattern (`[\w-.]`), as JSON Schemas in the wild
 * expect. Throws a `SyntaxError` when the pattern is wrong in both.
 */
export function unicodePattern(pattern: string, flags: string): RegExp {
  if (/[uv]/.test(flags)) return new RegExp(pattern, flags);
  return isUnicodePattern(pattern, flags) ? new RegExp(pattern, `${flags}u`) : new RegExp(pattern, flags);
}

function isUnicodePattern(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, `${flags}u`);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
