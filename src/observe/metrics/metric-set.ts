import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Family } from './exposition.ts';
import { BUCKETS, METRICS, type MetricName } from './metric-table.ts';

type Labels = { readonly [name: string]: string };

/** The program's metrics, in a registry of their own: nothing else that lives in the process is in it. */
export class MetricSet {
  readonly #registry = new Registry();
  readonly #gauges = new Map<string, Gauge>();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  constructor() {
    const registers = [this.#registry];
    for (const { name, kind, help, labels } of METRICS) {
      const config = { name, help, labelNames: [...labels], registers };
      if (kind === 'gauge') this.#gauges.set(name, new Gauge(config));
      else if (kind === 'counter') this.#counters.set(name, new Counter(config));
      else this.#histograms.set(name, new Histogram({ ...config, buckets: [...BUCKETS[name]] }));
    }
  }

  count(name: MetricName<'counter'>, labels: Labels = {}, by = 1): void {
    this.#counters.get(name)?.inc({ ...labels }, by);
  }

  observe(name: MetricName<'histogram'>, labels: Labels, value: number): void {
    this.#histograms.get(name)?.observe({ ...labels }, value);
  }

  /** `null`: not known now; then the metric has no value rather than a wrong one. */
  set(name: MetricName<'gauge'>, value: number | null, labels: Labels = {}): void {
    const gauge = this.#gauges.get(name);
    if (value === null) gauge?.remove({ ...labels });
    else gauge?.set({ ...labels }, value);
  }

  async families(): Promise<readonly Family[]> {
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.map(({ name, help, type, values }) => ({ name, help, type: String(type), samples: values }));
  }
}
