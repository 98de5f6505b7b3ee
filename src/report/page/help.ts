import { button, el } from './dom.ts';
import { KEYS } from './keyboard.ts';

/** The keys, in a dialog that Esc closes. */
export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.map(([keys, what]) =>
    el('tr', {}, el('th', { attributes: { scope: 'row' } }, el('kbd', {}, keys)), el('td', {}, what)),
  );
  const dialog = el(
    'dialog',
    { class: 'help', attributes: { 'aria-label': 'Keys' } },
    el('h2', {}, 'Keys'),
    el('table', {}, el('tbody', {}, ...rows)),
  );
  dialog.append(
    el('p', {}, 'Filters, search, order and the open job stand in the address: copy it to share what you see.'),
    button({ onClick: () => dialog.close() }, 'Close'),
  );
  return dialog;
}
