import { readData } from './data.ts';
import { button, el } from './dom.ts';
import { filterPanel } from './filters.ts';
import { helpDialog } from './help.ts';
import { listenToKeys } from './keyboard.ts';
import { type JobList, jobList } from './list.ts';
import { indexRows } from './logic/rows.ts';
import { Pane } from './pane/pane.ts';
import { printSection } from './print.ts';
import type { Report } from './report.ts';
import { createStore } from './store.ts';
import './styles/page.css';
import { themeToggle } from './theme.ts';
import { topBar } from './top-bar.ts';

/** Without data, or with a root missing, the page stays what it is without script. */
function start(): void {
  const data = readData(document);
  const app = document.getElementById('app');
  if (data === null || app === null) return;
  const report: Report = { data, rows: indexRows(data.index), store: createStore() };
  build(report, app);
  document.getElementById('static')?.setAttribute('hidden', '');
  document.documentElement.dataset.ready = 'true';
}

function build(report: Report, app: HTMLElement): void {
  const { store } = report;
  const help = helpDialog();
  const panel = filterPanel(report);
  const list = jobList(report, panel);
  const close = (): void => {
    store.change({ ...store.view(), job: null, quote: null });
    list.walk().focus();
  };
  const pane = new Pane(report, { onClose: close, onMove: (by) => list.walk().move(by) });
  const bar = topBar(report, [themeToggle(), button({ title: 'Keys (?)', onClick: () => help.showModal() }, '? keys')]);
  const work = el('main', { class: 'work' }, panel.element, list.element, pane.element);
  app.append(bar, work, printSection(), help);
  store.follow((view) => {
    work.classList.toggle('has-job', pane.show(view));
    pane.mark(list.show(view));
  });
  listen(list, pane, help, close, store);
}

function listen({ walk, search }: JobList, pane: Pane, help: HTMLDialogElement, close: () => void, store: Report['store']): void {
  listenToKeys({
    move: (by) => {
      walk().focus();
      walk().move(by);
    },
    page: () => walk().page,
    open: () => {
      walk().openActive();
      // Where the job covers the table.
      if (getComputedStyle(pane.element).position === 'fixed') pane.focus();
    },
    search: () => search.focus(),
    close: () => {
      if (help.open) return help.close();
      if (document.activeElement === search) return walk().focus();
      if (store.view().job !== null) close();
    },
    step: (by) => pane.step(by),
    help: () => help.showModal(),
  });
}

start();
