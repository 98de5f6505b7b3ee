/** A metric with its present samples. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
};

type Sample = {
  readonly value: number;
  readonly labels: { readonly [name: string]: string | number | undefined };
  /** `…_bucket`, `…_sum`, `…_count` of a histogram. */
  readonly metricName?: string;
};

export type Format = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Record<Format, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/**
 * The metrics as text. Not prom-client's own, which renames counters for OpenMetrics where they are kept, so that who asks next for the other
 * format gets wrong names.
 */
export function expose(families: readonly Family[], format: Format): string {
  const lines = families.flatMap((family) => familyLines(family, format));
  return `${[...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].join('\n')}\n`;
}

function familyLines({ name, help, type, samples }: Family, format: Format): string[] {
  const open = format === 'openmetrics';
  // OpenMetrics names a counter without its `_total`; the samples have it in both.
  const family = open && type === 'counter' ? name.replace(/_total$/, '') : name;
  const unit = open ? (/_(seconds|usd|ratio)$/.exec(family)?.[1] ?? null) : null;
  return [
    `# TYPE ${family} ${type}`,
    ...(unit === null ? [] : [`# UNIT ${family} ${unit}`]),
    `# HELP ${family} ${escaped(help)}`,
    ...samples.map(({ metricName = name, labels, value }) => `${metricName}${labelText(labels, open)} ${numberText(value)}`),
  ];
}

function labelText(labels: Sample['labels'], open: boolean): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}="${escaped(typeof value === 'number' && open ? floatText(value) : String(value)).replaceAll('"', '\\"')}"`],
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Bounds of buckets are numbers with a point in OpenMetrics: `1.0`. */
function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** The format that a client would rather have, by its `Accept` header. */
export function preferredFormat(accept: string): Format {
  const wishes = accept.split(',').map(wishOf);
  const best = (matches: (type: string) => boolean): number => Math.max(0, ...wishes.filter(({ type }) => matches(type)).map(({ q }) => q));
  const open = best((type) => type === 'application/openmetrics-text');
  return open > 0 && open >= best((type) => type === 'text/plain') ? 'openmetrics' : 'prometheus';
}

function wishOf(text: string): { readonly type: string; readonly q: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((part) => part.startsWith('q='));
  const value = q === undefined ? 1 : Number(q.slice(2));
  return { type, q: Number.isNaN(value) ? 0 : value };
}
