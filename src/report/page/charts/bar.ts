import { button, type Child, el, pathName, svg } from '../dom.ts';
import { visibleString } from '../logic/visible-text.ts';

/** A stretch of a bar, as a share of the longest. */
type BarPart = { readonly share: number; readonly tone: string };

export type Bar = {
  readonly name: string;
  /** The name in full, where it is shortened. */
  readonly title?: string;
  readonly parts: readonly BarPart[];
  /** The figures, for those who read. */
  readonly text: string;
  readonly onClick: () => void;
};

const WIDTH = 1000;
const HEIGHT = 10;

/** Bars below each other; every bar is a button that says its figures, so the picture needs no other table. */
export function barChart(title: string, note: string, bars: readonly Bar[]): HTMLElement {
  return chart(title, note, el('div', { class: 'bars' }, ...bars.map(barRow)));
}

/** A titled picture. */
export function chart(title: string, note: string, ...content: readonly Child[]): HTMLElement {
  return el(
    'figure',
    { class: 'chart' },
    el('figcaption', {}, el('h3', {}, title), note === '' ? null : el('small', {}, note)),
    ...content,
  );
}

function barRow({ name, title = name, parts, text, onClick }: Bar): HTMLElement {
  return button(
    { class: 'bar', onClick },
    el('span', { class: 'name', title: visibleString(title) }, pathName(visibleString(name))),
    picture(parts.reduce<{ from: number; nodes: Node[] }>(addPart, { from: 0, nodes: [] }).nodes, `${name}: ${text}`),
    el('span', { class: 'number' }, text),
  );
}

function addPart({ from, nodes }: { from: number; nodes: Node[] }, { share, tone }: BarPart): { from: number; nodes: Node[] } {
  const width = Math.max(share > 0 ? 4 : 0, Math.round(share * WIDTH));
  const rect = svg('rect', { x: from, y: 0, width, height: HEIGHT, class: `fill-${tone}` });
  return { from: from + width, nodes: [...nodes, rect] };
}

/** A strip of the chart's width. The button beside it says the same, so a screen reader passes over it. */
export function picture(nodes: readonly Node[], title: string): SVGElement {
  return svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', class: 'strip', 'aria-hidden': 'true', focusable: 'false' },
    svg('title', {}, visibleString(title)),
    svg('rect', { x: 0, y: 0, width: WIDTH, height: HEIGHT, class: 'fill-track' }),
    ...nodes,
  );
}
