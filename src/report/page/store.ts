import { hashOf, viewOf } from './logic/hash.ts';
import type { View } from './logic/view.ts';

/** `step`: back returns to the view before; `same`: the view before is replaced, as while somebody types. */
type ChangeKind = 'step' | 'same';

/** The one view, kept in the address. */
export type ViewStore = {
  readonly view: () => View;
  readonly change: (next: View, kind?: ChangeKind) => void;
  /** Called at once and after every change. */
  readonly follow: (listener: (view: View) => void) => void;
};

export function createStore(): ViewStore {
  let view = viewOf(location.hash);
  const listeners: ((view: View) => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener(view);
  };
  const arrive = (): void => {
    const next = viewOf(location.hash);
    if (hashOf(next) === hashOf(view)) return;
    view = next;
    tell();
  };
  addEventListener('popstate', arrive);
  addEventListener('hashchange', arrive);
  return {
    view: () => view,
    change: (next, kind = 'step') => {
      const hash = hashOf(next);
      if (hash === hashOf(view)) return;
      view = next;
      write(hash, kind);
      tell();
    },
    follow: (listener) => {
      listeners.push(listener);
      listener(view);
    },
  };
}

function write(hash: string, kind: ChangeKind): void {
  const address = `#${hash}`;
  if (kind === 'step') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}
