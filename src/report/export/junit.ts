import type { ResultLine, RunHeader } from '../../domain/result-line.ts';
import type { ExportSource } from './export-source.ts';
import { caseKind, seconds, testCase } from './junit-case.ts';
import type { Spool } from './spool.ts';
import { xmlAttributes } from './xml.ts';

type Suite = {
  readonly name: string;
  readonly model: string;
  readonly counts: { passed: number; failed: number; error: number; skipped: number };
  timeMs: number;
};

/**
 * JUnit XML as Jenkins and Surefire know it: a suite for each task and model, a test case for each job. Jobs come by document, and a suite
 * begins with its counts: all are read once, and wait in `spool`, which is closed in the end.
 */
export async function* junit(source: ExportSource, spool: Spool): AsyncGenerator<string> {
  try {
    const suites = await spooled(source, spool);
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${xmlAttributes({ name: 'aieval', ...counts([...suites.values()]) })}>\n`;
    for (const [key, suite] of suites) {
      yield opened(suite, source.header);
      yield* spool.read(key);
      yield '  </testsuite>\n';
    }
    yield '</testsuites>\n';
  } finally {
    await spool.close();
  }
}

async function spooled({ header, lines }: ExportSource, spool: Spool): Promise<ReadonlyMap<string, Suite>> {
  const suites = new Map<string, Suite>();
  for await (const line of lines()) {
    const key = suiteKey(line);
    const suite = suites.get(key) ?? newSuite(line);
    suites.set(key, suite);
    suite.counts[caseKind(line)] += 1;
    suite.timeMs += line.latencyMs ?? 0;
    await spool.add(key, testCase(line, header));
  }
  return suites;
}

/** Neither holds a line break: both are keys of a manifest. */
function suiteKey({ task, model }: ResultLine): string {
  return JSON.stringify([task, model]);
}

function newSuite({ task, model }: ResultLine): Suite {
  return { name: `${task}·${model}`, model, counts: { passed: 0, failed: 0, error: 0, skipped: 0 }, timeMs: 0 };
}

function opened(suite: Suite, header: RunHeader): string {
  const { run, version, models } = header;
  const { provider, model } = (Object.hasOwn(models, suite.model) ? models[suite.model] : undefined) ?? {
    provider: '',
    model: suite.model,
  };
  const properties = { run: run.id, 'run.name': run.name, 'run.state': run.state, model, provider, aieval: version };
  const listed = Object.entries(properties).map(([name, value]) => `      <property${xmlAttributes({ name, value })}/>\n`);
  const attributes = xmlAttributes({ name: suite.name, ...counts([suite]), timestamp: run.startedAt.slice(0, 19) });
  return `  <testsuite${attributes}>\n    <properties>\n${listed.join('')}    </properties>\n`;
}

function counts(suites: readonly Suite[]) {
  const total = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  let timeMs = 0;
  for (const { counts: one, timeMs: took } of suites) {
    total.tests += one.passed + one.failed + one.error + one.skipped;
    total.failures += one.failed;
    total.errors += one.error;
    total.skipped += one.skipped;
    timeMs += took;
  }
  return { ...total, time: seconds(timeMs) };
}
