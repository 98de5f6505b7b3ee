const MOST_NAMED = 3;

/** The warning for parts of a document that stand in other files; none for no such part. */
export function notFollowed(directive: string, targets: readonly string[]): readonly string[] {
  if (targets.length === 0) return [];
  const named = targets.slice(0, MOST_NAMED).join(', ');
  const more = targets.length > MOST_NAMED ? `, and ${targets.length - MOST_NAMED} more` : '';
  return [`${directive} not followed: the text lacks ${named}${more}`];
}
