/** What keys do. */
export type KeyActions = {
  readonly move: (by: number) => void;
  readonly page: () => number;
  readonly open: () => void;
  readonly search: () => void;
  /** Steps back: help, search, open job. */
  readonly close: () => void;
  readonly step: (by: number) => void;
  readonly help: () => void;
};

/** The keys, as the help tells them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['j / ↓, k / ↑', 'next and previous job or finding'],
  ['PgDn, PgUp, Home, End', 'further, in the list'],
  ['Enter', 'open the job, at its finding'],
  ['n, p', 'next and previous quote in the text'],
  ['/', 'search'],
  ['Esc', 'back: close help, job, search'],
  ['?', 'this help'],
];

/** Listens on the whole page; what is typed into a field stays there. */
export function listenToKeys(actions: KeyActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : null;
    if (event.key === 'Escape') return actions.close();
    if (target?.matches('input, textarea, select') === true) {
      if (target.closest('.facet') !== null || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return;
      event.preventDefault();
      return actions.move(0);
    }
    const action =
      everywhere(event.key, actions) ?? (target?.matches('table.jobs, .findings') === true ? inTable(event.key, actions) : null);
    if (action === null) return;
    event.preventDefault();
    action();
  });
}

function everywhere(key: string, actions: KeyActions): (() => void) | null {
  switch (key) {
    case 'j':
      return () => actions.move(1);
    case 'k':
      return () => actions.move(-1);
    case 'n':
      return () => actions.step(1);
    case 'p':
      return () => actions.step(-1);
    case '/':
      return actions.search;
    case '?':
      return actions.help;
    default:
      return null;
  }
}

function inTable(key: string, actions: KeyActions): (() => void) | null {
  switch (key) {
    case 'ArrowDown':
      return () => actions.move(1);
    case 'ArrowUp':
      return () => actions.move(-1);
    case 'PageDown':
      return () => actions.move(actions.page());
    case 'PageUp':
      return () => actions.move(-actions.page());
    case 'Home':
      return () => actions.move(Number.NEGATIVE_INFINITY);
    case 'End':
      return () => actions.move(Number.POSITIVE_INFINITY);
    case 'Enter':
      return actions.open;
    default:
      return null;
  }
}
