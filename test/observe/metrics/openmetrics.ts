/** One sample of a text. */
export type ReadSample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };

type ReadFamily = { readonly name: string; readonly type: string; readonly samples: readonly ReadSample[] };

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"';
const NUMBER = '[+-]?(?:\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|Inf)|NaN';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (${NUMBER})$`);
const META = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);

/** Of each type of OpenMetrics 1.0, what a sample's name has behind that of its family. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/**
 * Reads what was served as OpenMetrics 1.0 and throws for whatever its specification forbids: metadata after or apart from its samples, a name
 * that does not fit its type, a series twice, a bucket that shrinks or is missing, a unit that is not in the name, a missing end.
 */
export function readOpenMetrics(text: string): readonly ReadFamily[] {
  if (!text.endsWith('# EOF\n')) throw new Error('no # EOF at the end');
  const families = familiesOf(text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1));
  for (const family of families) checkFamily(family);
  return families;
}

/** The samples of either format, by name. */
export function samplesOf(text: string): readonly ReadSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(sampleOf);
}

/** The one value of a series; `undefined` without it. */
export function seriesValue(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const found = samplesOf(text).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length > 1) throw new Error(`${name} has ${found.length} such series`);
  return found[0]?.value;
}

function familiesOf(lines: readonly string[]): ReadFamily[] {
  const families = new Map<string, { name: string; type: string; samples: ReadSample[] }>();
  let current: { name: string; type: string; samples: ReadSample[] } | null = null;
  for (const line of lines) {
    const [, kind, name = '', text = ''] = META.exec(line) ?? [];
    if (kind === undefined) {
      if (current === null || line.startsWith('#')) throw new Error(`unexpected line: ${line}`);
      current.samples.push(sampleOf(line));
      continue;
    }
    if (current === null || current.name !== name) {
      if (families.has(name)) throw new Error(`${name} is not in one piece`);
      current = { name, type: 'unknown', samples: [] };
      families.set(name, current);
    }
    if (current.samples.length > 0) throw new Error(`metadata of ${name} after its samples`);
    if (kind === 'TYPE') current.type = text;
    if (kind === 'UNIT' && !name.endsWith(`_${text}`)) throw new Error(`${name} does not end with its unit`);
  }
  return [...families.values()];
}

function sampleOf(line: string): ReadSample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const [, name = '', labels = '', value = ''] = match;
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text] as const);
  if (new Set(pairs.map(([label]) => label)).size !== pairs.length) throw new Error(`a label twice: ${line}`);
  return {
    name,
    labels: Object.fromEntries(pairs),
    value: value.endsWith('Inf') ? Number(value.replace('Inf', 'Infinity')) : Number(value),
  };
}

function checkFamily({ name, type, samples }: ReadFamily): void {
  const suffixes = SUFFIXES[type];
  if (suffixes === undefined) throw new Error(`${name} has type ${type}`);
  if (type === 'counter' && name.endsWith('_total')) throw new Error(`the family of a counter is named without _total: ${name}`);
  const series = new Set<string>();
  for (const sample of samples) {
    if (!suffixes.some((suffix) => sample.name === `${name}${suffix}`)) throw new Error(`${sample.name} is no sample of ${type} ${name}`);
    const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (series.has(id)) throw new Error(`twice: ${id}`);
    series.add(id);
    if (type === 'counter' && !(sample.value >= 0)) throw new Error(`a counter below 0: ${id}`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const groups = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const id = JSON.stringify(Object.entries(labels).sort());
    groups.set(id, [...(groups.get(id) ?? []), sample]);
  }
  for (const [id, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (buckets.at(-1)?.labels.le !== '+Inf' || buckets.at(-1)?.value !== count)
      throw new Error(`${name}${id}: no +Inf bucket that holds all`);
    for (const [index, { labels, value }] of buckets.entries()) {
      const before = buckets[index - 1];
      if (before !== undefined && (value < before.value || boundOf(labels.le) <= boundOf(before.labels.le)))
        throw new Error(`${name}${id} shrinks`);
      if (labels.le !== '+Inf' && !/\./.test(labels.le ?? '')) throw new Error(`${name}${id}: bound ${labels.le} is no float`);
    }
  }
}

function boundOf(le = ''): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}
