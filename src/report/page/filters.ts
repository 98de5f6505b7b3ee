import { grouped } from '../phrases.ts';
import { button, el, pathName, visible } from './dom.ts';
import type { Selection } from './logic/filter.ts';
import { VERDICTS, valuesOf } from './logic/rows.ts';
import { FACETS, type Facet, toggled, type View } from './logic/view.ts';
import { visibleString } from './logic/visible-text.ts';
import type { Report } from './report.ts';
import { plainWord, verdictWord } from './words.ts';

const TITLES: { readonly [F in Facet]: string } = {
  verdict: 'Verdict',
  task: 'Task',
  model: 'Model',
  check: 'Check not passed',
  reason: 'Not evaluated because',
  cached: 'From cache',
  document: 'Document',
};

/** Values shown at first, and more with each click. */
const VALUES_SHOWN = 8;
const VALUES_MORE = 50;
/** More values than this can be searched. */
const VALUES_BROWSED = 50;

export type FilterPanel = { readonly element: HTMLElement; readonly show: (view: View, selection: Selection) => void };

/** One group per facet, with counts that tell what a click would give. */
export function filterPanel(report: Report): FilterPanel {
  const groups = FACETS.map((facet) => facetGroup(report, facet));
  const element = el('nav', { class: 'filters', attributes: { 'aria-label': 'Filters' } }, ...groups.map((group) => group.element));
  return {
    element,
    show: (view, selection) => {
      for (const group of groups) group.show(view, selection);
    },
  };
}

function facetGroup(report: Report, facet: Facet): FilterPanel {
  const values = orderedValues(report, facet);
  const list = el('ul');
  const title = el('h2', {}, TITLES[facet]);
  const names = facet === 'document' ? shortNames(report) : new Map<string, string>();
  let limit = VALUES_SHOWN;
  let redraw = (): void => undefined;
  const search = values.length > VALUES_BROWSED ? valueSearch(TITLES[facet], () => redraw()) : null;
  const show = (view: View, selection: Selection): void => {
    const chosen = view.filters[facet];
    redraw = () => show(view, selection);
    const wanted = search?.value.trim().toLowerCase() ?? '';
    const found = wanted === '' ? values : values.filter((value) => value.toLowerCase().includes(wanted));
    const shown = [...new Set([...found.slice(0, limit), ...chosen])];
    const rest = found.length - limit;
    const more = button({ class: 'more' }, `${grouped(Math.min(rest, VALUES_MORE))} more of ${grouped(found.length)}`);
    more.addEventListener('click', () => {
      limit += VALUES_MORE;
      show(view, selection);
    });
    const items = shown.map((value) =>
      item(report, {
        facet,
        value,
        name: names.get(value) ?? value,
        chosen: chosen.includes(value),
        jobs: selection.counts[facet].get(value) ?? 0,
      }),
    );
    const nothing = found.length === 0 ? [el('li', { class: 'none' }, 'none has this in its name')] : [];
    keepFocus(list, () => list.replaceChildren(...nothing, ...items, ...(rest > 0 ? [el('li', {}, more)] : [])));
  };
  const element = el(
    'section',
    { class: 'facet', hidden: values.length < 2 && facet !== 'reason' && facet !== 'check' },
    title,
    search,
    list,
  );
  if (values.length === 0) element.hidden = true;
  return { element, show };
}

function shortNames({ rows }: Report): ReadonlyMap<string, string> {
  return new Map(rows.map(({ document, name }) => [document, name]));
}

function valueSearch(title: string, onInput: () => void): HTMLInputElement {
  const name = `Find in ${title.toLowerCase()}s`;
  const search = el('input', {
    attributes: { type: 'search', placeholder: name, 'aria-label': name, autocomplete: 'off', spellcheck: 'false' },
  });
  search.addEventListener('input', onInput);
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || search.value === '') return;
    // Empties the field, and closes nothing else.
    event.preventDefault();
    search.value = '';
    onInput();
  });
  return search;
}

/** A list drawn anew must not lose the key that somebody is at. */
function keepFocus(list: HTMLElement, draw: () => void): void {
  const { activeElement } = document;
  const value = activeElement instanceof HTMLElement && list.contains(activeElement) ? activeElement.dataset.value : undefined;
  draw();
  if (value === undefined) return;
  const again = [...list.querySelectorAll('button')].find((candidate) => candidate.dataset.value === value);
  again?.focus({ preventScroll: true });
}

type Item = { readonly facet: Facet; readonly value: string; readonly name: string; readonly chosen: boolean; readonly jobs: number };

function item(report: Report, { facet, value, name, chosen, jobs }: Item): HTMLElement {
  const { sign, word } = facet === 'verdict' ? verdictWord(value) : { sign: '', word: facet === 'reason' ? plainWord(value) : name };
  const toggle = button(
    {
      title: visibleString(facet === 'verdict' ? word : value),
      class: `value${facet === 'verdict' ? ` is-${value}` : ''}${jobs === 0 ? ' is-empty' : ''}`,
      attributes: { 'aria-pressed': String(chosen) },
      onClick: () => report.store.change(toggled(report.store.view(), facet, value)),
    },
    el('span', { class: 'tick', attributes: { 'aria-hidden': 'true' } }, chosen ? '☑' : '☐'),
    el(
      'span',
      { class: 'name' },
      sign === '' ? null : el('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, `${sign} `),
      facet === 'document' ? pathName(visibleString(word)) : visible(word),
    ),
    el('span', { class: 'number' }, grouped(jobs), el('span', { class: 'spoken' }, jobs === 1 ? ' job' : ' jobs')),
  );
  toggle.dataset.value = value;
  return el('li', {}, toggle);
}

/** Verdicts worst first; documents and models by how many of their jobs did not pass; the rest most frequent first. */
function orderedValues({ rows }: Report, facet: Facet): string[] {
  const weights = new Map<string, number>();
  for (const row of rows) {
    const weight = facet === 'document' ? (row.verdict === 'pass' ? 0 : 1) : 1;
    for (const value of valuesOf(row, facet)) weights.set(value, (weights.get(value) ?? 0) + weight);
  }
  if (facet === 'verdict') return VERDICTS.filter((verdict) => weights.has(verdict));
  return [...weights].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
