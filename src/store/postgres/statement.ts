/** A text of ours as PostgreSQL takes it: `:name` became `$1`. */
export type Statement = { readonly text: string; readonly names: readonly string[] };

/** Not a cast (`::text`), nor the middle of a word. */
const NAME = /(?<![:\w]):([a-zA-Z]\w*)/g;

export function positional(text: string): Statement {
  const names: string[] = [];
  const numbered = text.replace(NAME, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}
