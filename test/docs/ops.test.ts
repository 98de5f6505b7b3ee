import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SyntaxNodeRef } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '../../src/observe/metrics/metric-table.ts';
import { aieval, BINARY } from '../cli/binary.ts';
import { folder } from '../cli/messages/case.ts';

const at = (name: string): string => fileURLToPath(new URL(`../../docs/ops/${name}`, import.meta.url));
const read = (name: string): string => readFileSync(at(name), 'utf8');

/** Series as Prometheus has them, with their labels; `up` is its own, and `job` and `instance` are its labels of each. */
const SERIES = new Map<string, readonly string[]>([
  ['up', []],
  ...METRICS.flatMap(({ name, kind, labels }): [string, readonly string[]][] =>
    kind === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_sum`, labels],
          [`${name}_count`, labels],
        ]
      : [[name, labels]],
  ),
]);
const OF_PROMETHEUS = ['job', 'instance'];

/** What is wrong with an expression: its syntax, a metric that the program does not have, a label that the metric does not have. */
function faultsOf(expression: string): string[] {
  // What Grafana puts in is put in.
  const expr = expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', 'a');
  const faults: string[] = [];
  let metrics = 0;
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.type.isError) faults.push(`syntax at ${node.from}: ${expr}`);
      if (node.name !== 'VectorSelector') return;
      metrics += 1;
      faults.push(...selectorFaults(node, expr));
    },
  });
  return metrics === 0 ? [...faults, `no metric: ${expr}`] : faults;
}

function selectorFaults({ node }: SyntaxNodeRef, expr: string): string[] {
  const text = (found: { from: number; to: number }): string => expr.slice(found.from, found.to);
  const name = node.getChild('Identifier');
  const labels = name === null ? undefined : SERIES.get(text(name));
  if (name === null || labels === undefined) return [`unknown metric: ${text(node)}`];
  const asked = [
    ...text(node)
      .slice(text(name).length)
      .matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g),
  ].map(([, label = '']) => label);
  return asked.filter((label) => ![...labels, ...OF_PROMETHEUS].includes(label)).map((label) => `${text(name)} has no label ${label}`);
}

test('an expression with a fault is found out', () => {
  expect(faultsOf('sum(rate(aieval_calls_total{outcome="x"}[5m]))')).toEqual([]);
  expect(faultsOf('sum(rate(aieval_calls_total[5m])')).not.toEqual([]);
  expect(faultsOf('sum(rate(aieval_call_total[5m]))')).toEqual(['unknown metric: aieval_call_total']);
  expect(faultsOf('aieval_jobs{task="x"}')).toEqual(['aieval_jobs has no label task']);
  expect(faultsOf('aieval_call_duration_seconds > 1')).toEqual(['unknown metric: aieval_call_duration_seconds']);
});

describe('the alert rules', () => {
  type Rule = {
    alert: string;
    expr: string;
    for?: string;
    labels: { severity: string };
    annotations: { summary: string; description: string };
  };
  const { groups }: { groups: readonly { name: string; rules: readonly Rule[] }[] } = parse(read('alerts.yml'));
  const rules = groups.flatMap((group) => group.rules);

  test('are rules as Prometheus takes them, each with what a person reads and does', () => {
    expect(rules.length).toBeGreaterThanOrEqual(8);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(Object.keys(rule).filter((key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key))).toEqual([]);
      expect(rule.alert).toMatch(/^Aieval[A-Z]\w+$/);
      if (rule.for !== undefined) expect(rule.for).toMatch(/^\d+[smh]$/);
      expect(['warning', 'critical']).toContain(rule.labels.severity);
      expect(rule.annotations.summary).toMatch(/\S/);
      expect(rule.annotations.description).toMatch(/\S/);
    }
  });

  test.each(rules)('$alert asks for what there is', ({ expr }) => {
    expect(faultsOf(expr)).toEqual([]);
  });

  test('tell of waiting, of hits, of dead workers and of the budget', () => {
    const all = rules.map(({ expr }) => expr).join('\n');
    for (const metric of ['aieval_oldest_step_seconds', 'aieval_cache_hits_total', 'aieval_lost_leases', 'aieval_budget_left_ratio']) {
      expect(all).toContain(metric);
    }
  });

  test('name commands that there are', async () => {
    const named = rules.flatMap(({ annotations }) =>
      [...annotations.description.matchAll(/aieval (\w+)/g)].map(([, command = '']) => command),
    );
    expect(named.length).toBeGreaterThan(3);
    for (const command of new Set(named)) expect((await aieval([command, '--help'], { cwd: '/' })).exitCode).toBe(0);
  });
});

describe('the dashboard', () => {
  type Panel = {
    id: number;
    title: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets: { refId: string; expr: string }[];
  };
  const dashboard: { panels: Panel[]; templating: { list: { name: string }[] } } = JSON.parse(read('dashboard.json'));

  test.each(dashboard.panels)('$title asks for what there is', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) expect(faultsOf(expr)).toEqual([]);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  });

  test('has no panel over another, and knows its variables', () => {
    const taken = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const used = new Set([...JSON.stringify(dashboard).matchAll(/\$\{?([a-z]\w*)/g)].map(([, name = '']) => name));
    expect([...used].sort()).toEqual(dashboard.templating.list.map(({ name }) => name).sort());
  });

  test('shows every metric that has something to show', () => {
    const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
    const missing = METRICS.map(({ name }) => name).filter((name) => !shown.includes(name));
    expect(missing).toEqual([
      'aieval_build_info',
      'aieval_store_up',
      'aieval_cached_jobs',
      'aieval_budget_left_usd',
      'aieval_steps_in_flight',
    ]);
  });
});

describe('the workers of systemd and pm2', () => {
  let options = '';
  beforeAll(async () => {
    options = (await aieval(['worker', '--help'], { cwd: '/' })).stdout;
  });

  const settings = (unit: string): Map<string, string> =>
    new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

  /** The line is one that the program takes: it only misses a database. */
  async function expectLine(args: readonly string[]): Promise<void> {
    for (const word of args.filter((each) => each.startsWith('--'))) expect(options).toContain(`${word} `);
    const line = args.map((word) => word.replace(/^(127\.0\.0\.1):\d+$/, '$1:0'));
    expect((await aieval(line, { cwd: folder().dir })).stderr).toContain('error[E30]');
  }

  test('the unit names what a service needs, and starts a line that the program takes', async () => {
    const unit = read('aieval-worker.service');
    const found = settings(unit);
    const [program, name, ...args] = (found.get('ExecStart') ?? '').split(' ');
    expect([program, name]).toEqual(['/usr/bin/env', 'aieval']);
    await expectLine(args);
    // SIGINT gives calls a minute: see the README.
    expect([found.get('KillSignal'), found.get('SuccessExitStatus')]).toEqual(['SIGINT', '130']);
    expect(Number(found.get('TimeoutStopSec'))).toBeGreaterThan(60);
    expect([...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, section]) => section)).toEqual(['Unit', 'Service', 'Install']);
  });

  test('every example starts a worker again whose storage was away, and none whose line or key is wrong', () => {
    const { stop_exit_codes: ofFile } = createRequire(import.meta.url)(at('ecosystem.config.cjs')).apps[0];
    const texts = ['ops/aieval-worker.service', 'recipes.md'].map((name) => readFileSync(at(`../${name}`), 'utf8'));
    const kept = texts.flatMap((text) =>
      [...text.matchAll(/(?:RestartPreventExitStatus=|--stop-exit-codes )([\d ]*\d)/g)].map(([, codes]) => codes),
    );
    expect([...kept, ofFile.join(' ')]).toEqual(Array.from({ length: 3 }, () => '2 4'));
  });

  const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
  test.runIf(isThere)('systemd finds nothing wrong with the unit', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', at('aieval-worker.service')], { encoding: 'utf8' });
    expect({ status, stderr: stderr.split('\n').filter((line) => line.includes('aieval-worker')) }).toEqual({ status: 0, stderr: [] });
  });

  test('the pm2 file starts the program, each with a port of its own', async () => {
    type App = { name: string; script: string; args: string[]; kill_timeout: number };
    const { apps }: { apps: App[] } = createRequire(import.meta.url)(at('ecosystem.config.cjs'));
    expect(apps.length).toBeGreaterThan(1);
    for (const { script, args, kill_timeout: killMs } of apps) {
      expect(existsSync(script)).toBe(true);
      expect([script, basename(script)]).toEqual([BINARY, 'aieval.js']);
      await expectLine(args.map((arg) => (arg === 'logs/worker.log' ? 'worker.log' : arg)));
      expect(killMs).toBeGreaterThan(60_000);
    }
    const ports = apps.map(({ args }) => args[args.indexOf('--metrics') + 1]);
    expect(new Set(ports).size).toBe(apps.length);
  });
});
