import { duration, grouped } from '../../phrases.ts';
import { button, el, svg, visible } from '../dom.ts';
import { chart, picture } from './bar.ts';
import type { ModelFigures, Quantiles } from './figures.ts';

const WIDTH = 1000;

/** Per model: a line from the 5th to the 95th percentile, a box about the middle half, a tick at the median; one scale for all. */
export function latencyChart(models: readonly ModelFigures[], onClick: (model: string) => void): HTMLElement | null {
  const asked = models.flatMap(({ model, jobs, cached, latency }) => (latency === null ? [] : [{ model, jobs: jobs - cached, latency }]));
  if (asked.length === 0) return null;
  const most = Math.max(1, ...asked.map(({ latency }) => latency.p95));
  const rows = asked.map(({ model, jobs, latency }) => {
    const text = `${duration(latency.p50)} median, ${duration(latency.p95)} p95`;
    return button(
      { class: 'bar', title: `${grouped(jobs)} jobs asked; slowest ${duration(latency.most)}`, onClick: () => onClick(model) },
      el('span', { class: 'name' }, visible(model)),
      picture(box(latency, most), `${model}: ${text}`),
      el('span', { class: 'number' }, text),
    );
  });
  return chart(
    'Time to answer',
    'jobs that were asked in this run; line 5–95 %, box the middle half, tick the median',
    el('div', { class: 'bars' }, ...rows),
  );
}

function box({ p5, p25, p50, p75, p95 }: Quantiles, most: number): SVGElement[] {
  const x = (ms: number): number => Math.round((ms / most) * (WIDTH - 8)) + 2;
  return [
    svg('rect', { x: x(p5), y: 4, width: Math.max(2, x(p95) - x(p5)), height: 2, class: 'fill-line' }),
    svg('rect', { x: x(p25), y: 1, width: Math.max(4, x(p75) - x(p25)), height: 8, class: 'fill-box' }),
    svg('rect', { x: x(p50) - 2, y: 0, width: 5, height: 10, class: 'fill-tick' }),
  ];
}
