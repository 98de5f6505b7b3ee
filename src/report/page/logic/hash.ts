import { COLUMNS, type Column, FACETS, FIRST_VIEW, LISTS, type ListKind, type Sorting, type View } from './view.ts';

/** The view as a fragment without `#`: `verdict=fail&q=retry&sort=-cost&job=j3f9`. Empty for the first view. */
export function hashOf(view: View): string {
  const params = new URLSearchParams();
  for (const facet of FACETS) for (const value of view.filters[facet]) params.append(facet, value);
  if (view.query !== '') params.append('q', view.query);
  const { column, descending } = view.sorting;
  if (column !== FIRST_VIEW.sorting.column || descending) params.append('sort', `${descending ? '-' : ''}${column}`);
  if (view.list !== FIRST_VIEW.list) params.append('view', view.list);
  if (view.job !== null) params.append('job', view.job);
  if (view.quote !== null) params.append('quote', String(view.quote));
  return params.toString();
}

/** The view that a fragment names; what it does not understand is left out. */
export function viewOf(hash: string): View {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const filters = { ...FIRST_VIEW.filters };
  for (const facet of FACETS) filters[facet] = [...new Set(params.getAll(facet))];
  return {
    filters,
    query: params.get('q') ?? '',
    sorting: sortingOf(params.get('sort')),
    job: params.get('job'),
    quote: quoteOf(params.get('quote')),
    list: listOf(params.get('view')),
  };
}

function listOf(text: string | null): ListKind {
  return LISTS.find((known) => known === text) ?? FIRST_VIEW.list;
}

function quoteOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

function sortingOf(text: string | null): Sorting {
  const descending = text?.startsWith('-') === true;
  const name = descending ? text?.slice(1) : text;
  const column: Column | undefined = COLUMNS.find((known) => known === name);
  return column === undefined ? FIRST_VIEW.sorting : { column, descending };
}
