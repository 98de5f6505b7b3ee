import { el } from './dom.ts';

/**
 * What goes on paper below the verdict and the charts: what did not pass, with its quotes, as it stands in the part of the page that is
 * shown without script. Made when somebody prints.
 */
export function printSection(): HTMLElement {
  const section = el('section', { class: 'printed' });
  onPrint(() => {
    const told = document.querySelector('#static .not-passed');
    if (section.childElementCount === 0 && told !== null) section.append(told.cloneNode(true));
  });
  return section;
}

/** Before the page goes on paper. */
export function onPrint(prepare: () => void): void {
  addEventListener('beforeprint', prepare);
  matchMedia('print').addEventListener('change', ({ matches }) => (matches ? prepare() : undefined));
}
