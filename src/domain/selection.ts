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

/** What of a run's settings says that it is a part of its manifest; `selectedOf`: the jobs of the whole. */
export type SelectedSettings = { readonly selection?: Selection | undefined; readonly selectedOf?: number | undefined };

/** `options` lead to the same part again; `of`: jobs of the whole manifest, `null` where that is not known. */
export type SelectedPart = { readonly options: string; readonly jobs: number; readonly of: number | null };

/** The part that a run with so many jobs is; `null` for the whole, which options that select all jobs make, too. */
export function selectedPart({ selection, selectedOf }: SelectedSettings, jobs: number): SelectedPart | null {
  if (selection === undefined || (selectedOf !== undefined && selectedOf <= jobs)) return null;
  return { options: selectionWords(selection).join(' '), jobs, of: selectedOf ?? null };
}
