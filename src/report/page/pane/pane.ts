import { overview } from '../charts/overview.ts';
import { button, el } from '../dom.ts';
import { cleared, type View } from '../logic/view.ts';
import { visibleString } from '../logic/visible-text.ts';
import { onPrint } from '../print.ts';
import type { Report } from '../report.ts';
import { VERDICT_WORDS } from '../words.ts';
import { type JobView, jobView } from './job.ts';
import type { PaneActions } from './job-head.ts';

/** The right side: the overview, or the open job. */
export class Pane {
  readonly element: HTMLElement;
  readonly #report: Report;
  readonly #actions: PaneActions;
  readonly #overview: HTMLElement;
  /** What a screen reader is told when the pane changes. */
  readonly #status = el('div', { class: 'spoken', attributes: { role: 'status' } });
  readonly #left: HTMLElement;
  #quote: number | null = null;
  #job: { readonly id: string; readonly view: JobView } | null = null;

  constructor(report: Report, actions: PaneActions) {
    this.#report = report;
    this.#actions = actions;
    this.#overview = overview(report);
    const clear = button({ class: 'more', onClick: () => report.store.change(cleared(report.store.view())) }, 'Clear filters');
    this.#left = el('p', { class: 'left-out', hidden: true }, 'This job is not in the list: search or filters leave it out. ', clear);
    this.element = el('div', { class: 'pane' }, this.#status, this.#overview);
    onPrint(() => this.#unfold());
  }

  /** Nothing that a card or a list holds back is missing on paper. */
  #unfold(): void {
    const more = (): HTMLElement | null => this.element.querySelector<HTMLElement>('.evidence .more');
    for (let next = more(); next !== null; next = more()) next.click();
  }

  /** Returns whether a job is shown: an address may name one that is not here. */
  show({ job: wanted, quote }: View): boolean {
    const isNew = wanted !== (this.#job?.id ?? null);
    if (isNew) this.#change(wanted);
    if (quote !== null && (isNew || quote !== this.#quote)) this.#job?.view.goTo(quote);
    this.#quote = quote;
    return this.#job !== null;
  }

  /** Says of the open job whether the filters leave it in the list. */
  mark(isListed: boolean): void {
    this.#left.hidden = isListed;
  }

  #change(wanted: string | null): void {
    const row = wanted === null ? undefined : this.#report.rows.find(({ row }) => row.jobId === wanted);
    this.#job = row === undefined ? null : { id: row.row.jobId, view: jobView(this.#report, row, this.#actions) };
    // The overview stays, for who prints.
    this.element.replaceChildren(this.#status, this.#overview, ...(this.#job === null ? [] : [this.#left, this.#job.view.element]));
    this.#status.textContent =
      row === undefined ? 'Overview' : `Job opened: ${VERDICT_WORDS[row.verdict].word}, ${visibleString(row.document)}`;
    this.element.classList.toggle('shows-job', this.#job !== null);
    this.element.scrollTop = 0;
  }

  /** Whether there was a text to walk through. */
  step(by: number): void {
    this.#job?.view.step(by);
  }

  /** Where the pane covers the table, what is read next is the job. */
  focus(): void {
    this.element.querySelector<HTMLElement>('#job-title')?.focus({ preventScroll: true });
  }
}
