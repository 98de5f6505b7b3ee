/**
 * Which jobs of a manifest are meant. Each part that is not empty must hold, any of its values will do: globs over document ids or
 * `tag:x`, globs over the keys of `tasks` and of `models`.
 */
export type Selection = {
  readonly document: readonly string[];
  readonly task: readonly string[];
  readonly model: readonly string[];
  /** Of what is selected, only the first so many jobs in plan order; `null`: all. */
  readonly first: number | null;
};

/** The options that select the same again, as they are typed: `['--document', 'specs/**', '--first', '3']`. */
export function selectionWords({ document, task, model, first }: Selection): readonly string[] {
  const parts = { document, task, model };
  return [
    ...Object.entries(parts).flatMap(([name, values]) => values.flatMap((value) => [`--${name}`, value])),
    ...(first === null ? [] : ['--first', String(first)]),
  ];
}
