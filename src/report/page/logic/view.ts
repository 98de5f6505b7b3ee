/** What filters look at, in the order of the panel. */
export const FACETS = ['verdict', 'task', 'model', 'check', 'reason', 'cached', 'document'] as const;
export type Facet = (typeof FACETS)[number];

export const COLUMNS = ['verdict', 'document', 'task', 'model', 'note', 'quotes', 'cost', 'time', 'tries', 'cached'] as const;
export type Column = (typeof COLUMNS)[number];

export type Sorting = { readonly column: Column; readonly descending: boolean };

export const LISTS = ['jobs', 'findings'] as const;
export type ListKind = (typeof LISTS)[number];

/** All that a person has chosen: it stands in the address, so that a view can be shared. */
export type View = {
  /** Values of which a job must have one; empty: any. */
  readonly filters: { readonly [F in Facet]: readonly string[] };
  readonly query: string;
  readonly sorting: Sorting;
  /** Of the open job; `null`: the overview. */
  readonly job: string | null;
  /** Number of the quote that the open job is to be seen at. */
  readonly quote: number | null;
  /** What is listed. */
  readonly list: ListKind;
};

/** Worst first. */
const FIRST_SORTING: Sorting = { column: 'verdict', descending: false };

export const FIRST_VIEW: View = {
  filters: { verdict: [], task: [], model: [], check: [], reason: [], cached: [], document: [] },
  query: '',
  sorting: FIRST_SORTING,
  job: null,
  quote: null,
  list: 'jobs',
};

/** Nothing chosen and no job open; the order and what is listed stay. */
export function afresh({ sorting, list }: View): View {
  return { ...FIRST_VIEW, sorting, list };
}

/** The words that a search asks for, in lower case. */
export function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The view with one value of a facet chosen, or not any more. */
export function toggled(view: View, facet: Facet, value: string): View {
  const chosen = view.filters[facet];
  const values = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
  return withFilter(view, { [facet]: values });
}

/** The view with some facets set anew. */
export function withFilter(view: View, over: { readonly [F in Facet]?: readonly string[] }): View {
  return { ...view, filters: { ...view.filters, ...over } };
}

/** Nothing chosen, the open job and the order kept. */
export function cleared(view: View): View {
  return { ...view, filters: FIRST_VIEW.filters, query: '' };
}

export function isFiltered(view: View): boolean {
  return view.query.trim() !== '' || FACETS.some((facet) => view.filters[facet].length > 0);
}

/** A click on a column: its natural order first, then the other way round. */
export function sortedBy(view: View, column: Column): View {
  const descending = view.sorting.column === column ? !view.sorting.descending : false;
  return { ...view, sorting: { column, descending } };
}

const LARGEST_FIRST: ReadonlySet<Column> = new Set(['quotes', 'cost', 'time', 'tries']);

/** How a screen reader should tell it: the natural order of numbers is the largest first. */
export function ariaSort({ column, descending }: Sorting): 'ascending' | 'descending' {
  return LARGEST_FIRST.has(column) === descending ? 'ascending' : 'descending';
}
