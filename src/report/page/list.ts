import { counted, grouped } from '../phrases.ts';
import { button, el } from './dom.ts';
import type { FilterPanel } from './filters.ts';
import { FindingList } from './finding-list.ts';
import { FindingsReader } from './findings-reader.ts';
import { type Selection, select } from './logic/filter.ts';
import { selectFindings } from './logic/findings.ts';
import { sortRows } from './logic/sort.ts';
import { cleared, isFiltered, LISTS, type ListKind, type View, wordsOf } from './logic/view.ts';
import type { Report } from './report.ts';
import { JobTable, type Walkable } from './table.ts';

export type JobList = {
  readonly element: HTMLElement;
  /** What is listed now, for the keys. */
  readonly walk: () => Walkable;
  readonly search: HTMLInputElement;
  /** Returns whether the open job is among those that the filters leave; true without one. */
  readonly show: (view: View) => boolean;
};

/** Search, count, and the table of jobs or the list of findings. Selects and sorts anew only when filters, order or list change. */
export function jobList(report: Report, panel: FilterPanel): JobList {
  const { table, findings, show: showLists } = lists(report);
  const search = searchField(report);
  const count = el('output', { class: 'count-line', attributes: { role: 'status', 'aria-live': 'polite' } });
  const clear = button({ class: 'clear', onClick: () => report.store.change(cleared(report.store.view())) }, 'Clear filters');
  const tabs = listTabs(report);
  let before: View | null = null;
  let selection: Selection = select(report.rows, report.store.view());
  let rows = report.rows;
  const draw = (view: View): void => {
    count.textContent = showLists(rows, view, () => draw(report.store.view()));
  };
  const show = (view: View): boolean => {
    if (before === null || isOther(view, before)) {
      // The words of a search may stand in a finding, or in the job.
      selection = select(report.rows, view.list === 'jobs' ? view : { ...view, query: '' });
      rows = sortRows(selection.rows, view.sorting);
      panel.show(view, selection);
    }
    before = view;
    if (search.value !== view.query) search.value = view.query;
    clear.hidden = !isFiltered(view);
    tabs.show(view.list);
    draw(view);
    return view.job === null || rows.some(({ row }) => row.jobId === view.job);
  };
  const tools = el('div', { class: 'tools' }, filtersToggle(panel), tabs.element, search, count, clear);
  const element = el('section', { class: 'list', attributes: { 'aria-label': 'Jobs' } }, tools, table.element, findings.element);
  return { element, walk: () => (report.store.view().list === 'jobs' ? table : findings), search, show };
}

function isOther(view: View, before: View): boolean {
  return view.filters !== before.filters || view.query !== before.query || view.sorting !== before.sorting || view.list !== before.list;
}

type Lists = {
  readonly table: JobTable;
  readonly findings: FindingList;
  /** Returns how much is listed, in words. `again`: called as more is read. */
  readonly show: (rows: Report['rows'], view: View, again: () => void) => string;
};

function lists(report: Report): Lists {
  const table = new JobTable(report);
  const findings = new FindingList(report);
  const reader = new FindingsReader(report.data, report.rows);
  const show: Lists['show'] = (rows, view, again) => {
    table.element.hidden = view.list !== 'jobs';
    findings.element.hidden = view.list !== 'findings';
    if (view.list === 'jobs') {
      table.show(rows, view);
      return countOf(rows.length, report.rows.length, 'job');
    }
    reader.start(again);
    const found = selectFindings(rows, reader.byPlace, wordsOf(view.query));
    findings.show(found, view, reader.isDone ? withoutFindings(reader.total) : '');
    const reading = `reading ${grouped(reader.read)} of ${counted(report.rows.length, 'job')}`;
    return reader.isDone ? countOf(found.length, reader.total, 'finding') : `${counted(found.length, 'finding')} · ${reading}`;
  };
  return { table, findings, show };
}

function withoutFindings(total: number): string {
  return total === 0 ? 'No check of this run looks up quotes, so there is no finding to list.' : 'No finding fits these filters.';
}

function countOf(shown: number, total: number, what: string): string {
  return shown === total ? counted(total, what) : `${grouped(shown)} of ${counted(total, what)}`;
}

const TAB_WORDS: { readonly [L in ListKind]: string } = { jobs: 'Jobs', findings: 'Findings' };

function listTabs(report: Report): { readonly element: HTMLElement; readonly show: (list: ListKind) => void } {
  const tabs = LISTS.map((list) => ({
    list,
    tab: button({ onClick: () => report.store.change({ ...report.store.view(), list }) }, TAB_WORDS[list]),
  }));
  return {
    element: el('div', { class: 'tabs', attributes: { role: 'group', 'aria-label': 'What is listed' } }, ...tabs.map(({ tab }) => tab)),
    show: (shown) => {
      for (const { list, tab } of tabs) tab.setAttribute('aria-pressed', String(list === shown));
    },
  };
}

function filtersToggle(panel: FilterPanel): HTMLElement {
  const toggle = button({ class: 'filters-toggle', attributes: { 'aria-expanded': 'false' } }, 'Filters');
  toggle.addEventListener('click', () => {
    const isOpen = panel.element.classList.toggle('is-open');
    toggle.setAttribute('aria-expanded', String(isOpen));
  });
  return toggle;
}

function searchField(report: Report): HTMLInputElement {
  const search = el('input', {
    attributes: {
      type: 'search',
      placeholder: 'Search ids, notes, reasons  ( / )',
      'aria-label': 'Search jobs',
      autocomplete: 'off',
      spellcheck: 'false',
    },
  });
  search.addEventListener('input', () => report.store.change({ ...report.store.view(), query: search.value }, 'same'));
  return search;
}
