import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { METRICS } from '../../src/observe/metrics/metric-table.ts';
import { loggedEvents } from '../observe/logged-events.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/observability.md', import.meta.url)), 'utf8');

/** The cells of the table below this head, row by row. */
function table(head: string): string[][] {
  const lines = PAGE.split('\n');
  const rows = lines.slice(lines.indexOf(head) + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const UNITS: Readonly<Record<string, string>> = { seconds: 'seconds', usd: 'USD', ratio: 'share' };

test('the page has every metric with its type, unit, labels and meaning, and none that is not there', () => {
  const rows = METRICS.map(({ name, kind, labels, help }) => {
    const [, unit = ''] = /_(seconds|usd|ratio)(?:_total)?$/.exec(name) ?? [];
    return [`\`${name}\``, kind, UNITS[unit] ?? '', labels.map((label) => `\`${label}\``).join(', '), help];
  });
  expect(table('| metric | type | unit | labels | meaning |')).toEqual(rows);
});

test('the page has every event of the log', () => {
  const told = table('| event | level | says |').flatMap(([events = '']) =>
    [...events.matchAll(/`([\w.]+)`/g)].map(([, event = '']) => event),
  );
  expect(told.sort()).toEqual([...loggedEvents()].sort());
});

test('the page has every field that says whose a line is', () => {
  const told = table('| field | meaning |').flatMap(([fields = '']) => [...fields.matchAll(/`(\w+)`/g)].map(([, field = '']) => field));
  for (const field of ['run_id', 'job_id', 'trace_id', 'attempt', 'worker_id', 'task', 'model', 'document', 'provider_request_id']) {
    expect(told).toContain(field);
  }
});
