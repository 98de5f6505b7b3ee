import { visit } from 'jsonc-parser';

/**
 * The first key that stands twice in one object of well-formed JSON: readers keep the last one, so that what the first one said would be
 * lost without a word. `null` when there is none.
 */
export function repeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  let repeated: string | null = null;
  visit(json, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key) => {
      const keys = open.at(-1);
      if (keys?.has(key)) repeated ??= key;
      keys?.add(key);
    },
  });
  return repeated;
}
