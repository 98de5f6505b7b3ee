import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { aieval } from '../../cli/binary.ts';
import { answerJson, apiError, startScriptedServer } from '../../providers/scripted-server.ts';
import { goodAnswer, type Project } from '../project.ts';
import { afterwards, placeFor } from '../providers/at-work.ts';

vi.setConfig({ testTimeout: 90_000 });

type Attributes = Readonly<Record<string, unknown>>;
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind: number;
  readonly ms: number;
  readonly error: boolean;
  readonly attributes: Attributes;
};
type Collector = {
  readonly endpoint: string;
  readonly spans: Span[];
  readonly resources: Attributes[];
  readonly headers: IncomingHttpHeaders[];
  readonly texts: string[];
};

/** A collector of OTLP over HTTP, which decodes what it gets. */
async function collector(status = 200): Promise<Collector> {
  const got: Omit<Collector, 'endpoint'> = { spans: [], resources: [], headers: [], texts: [] };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      expect(request.url).toBe('/v1/traces');
      got.headers.push(request.headers);
      got.texts.push(text);
      for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
        got.resources.push(attributesOf(resource.attributes));
        for (const { spans } of scopeSpans) got.spans.push(...spans.map(spanOf));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { ...got, endpoint: `http://127.0.0.1:${address.port}` };
}

type WireValue = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: WireValue[] };
};
type WireAttributes = readonly { readonly key: string; readonly value: WireValue }[];

function valueIn({ stringValue, intValue, doubleValue, boolValue, arrayValue }: WireValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(valueIn);
  return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}

function attributesOf(attributes: WireAttributes): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueIn(value)]));
}

function spanOf(span: Record<string, string | number> & { attributes: WireAttributes; status?: { code?: number } }): Span {
  const { traceId, spanId, parentSpanId = null, name, kind, startTimeUnixNano, endTimeUnixNano, status, attributes } = span;
  const ms = Number(BigInt(endTimeUnixNano ?? 0) - BigInt(startTimeUnixNano ?? 0)) / 1e6;
  const parent = parentSpanId === null || parentSpanId === '' ? null : String(parentSpanId);
  const ids = { traceId: String(traceId), spanId: String(spanId), parent, name: String(name), kind: Number(kind) };
  return { ...ids, ms, error: status?.code === 2, attributes: attributesOf(attributes) };
}

/** One document is asked twice, the other fails for good. */
async function work(): Promise<Project> {
  const server = await startScriptedServer({
    respond: ({ prompt, n }) => {
      if (prompt.includes('Device 02')) return apiError(400, { message: 'MARKBODY' });
      return n === 1 ? apiError(500, { message: 'MARKBODY' }) : answerJson(goodAnswer(prompt), { headers: { 'x-request-id': 'req-7' } });
    },
  });
  afterwards(server.close);
  return placeFor(server.baseUrl, {
    documents: 2,
    manifest: { concurrency: 1 },
    model: { params: { maxOutputTokens: 100, temperature: 0 } },
  });
}

const children = (spans: readonly Span[], { spanId }: Span): Span[] => spans.filter(({ parent }) => parent === spanId);
const named = (spans: readonly Span[], name: string): Span[] => spans.filter((span) => span.name === name);

test('a run is a trace of its jobs, their tries and their calls, by the conventions for generative AI', async () => {
  const { endpoint, spans, resources, headers, texts } = await collector();
  const place = await work();
  const env = {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=papers', OTEL_SERVICE_NAME: 'review' },
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const { exitCode } = await aieval(['run', 'manifest.json', '--log-file', 'work.log'], { cwd: place.dir, env });
  expect(exitCode).toBe(3);
  const [run] = named(spans, 'run');
  if (run === undefined) throw new Error('no run');
  expect(named(spans, 'run')).toHaveLength(1);
  expect(run).toMatchObject({
    parent: null,
    attributes: { 'aieval.run.name': 'e2e', 'aieval.run.verdict': 'incomplete', 'aieval.exit_code': 3 },
  });
  const jobs = children(spans, run);
  expect(jobs.map(({ name, error, attributes }) => [name, error, attributes['aieval.document'], attributes['aieval.verdict']])).toEqual(
    expect.arrayContaining([
      ['job', false, 'docs/01.md', 'pass'],
      ['job', true, 'docs/02.md', 'error'],
    ]),
  );
  const [good] = jobs.filter(({ error }) => !error);
  if (good === undefined) throw new Error('no job passed');
  const attempts = children(spans, good);
  expect(attempts.map(({ name, attributes }) => [name, attributes['aieval.attempt'], attributes['aieval.outcome']])).toEqual([
    ['attempt answer', 1, 'failed'],
    ['attempt answer', 2, 'answered'],
    ['attempt finish', undefined, 'finished'],
  ]);
  const [failed] = attempts.slice(0, 1).flatMap((attempt) => children(spans, attempt));
  expect(failed).toMatchObject({
    name: 'chat small',
    kind: 3,
    error: true,
    attributes: { 'error.type': 'server_error', 'http.response.status_code': 500 },
  });
  const [answered] = attempts.slice(1, 2).flatMap((attempt) => children(spans, attempt));
  expect(answered).toMatchObject({
    ...{ name: 'chat small', kind: 3, error: false },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'lab',
      'gen_ai.request.model': 'small',
      'gen_ai.request.temperature': 0,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.response.model': 'small',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'server.address': '127.0.0.1',
      'aieval.provider_request_id': 'req-7',
    },
  });
  expect(run.ms).toBeGreaterThanOrEqual(good.ms);
  // The log of the same run names the same trace.
  const logged = place
    .read('work.log')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).trace_id);
  expect(new Set([...spans.map(({ traceId }) => traceId), ...logged])).toEqual(new Set([run.traceId]));
  expect(resources[0]).toMatchObject({ 'service.name': 'review', 'deployment.environment.name': 'test' });
  expect(headers[0]).toMatchObject({ 'x-team': 'papers' });
  expect(texts.join()).not.toMatch(/MARKBODY|shall answer|Quote one/);
});

test('every process that works on a run adds to its trace, and variables of a .env count', async () => {
  const { endpoint, spans, resources } = await collector();
  const place = await work();
  place.write('.env', `OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}\n`);
  await place.aieval('run', 'manifest.json');
  await place.aieval('retry', '--dlq');
  expect(named(spans, 'run')).toHaveLength(2);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(resources[0]).toMatchObject({ 'service.name': 'aieval', 'service.version': expect.any(String) });
});

test('a sampler of the environment is obeyed', async () => {
  const { endpoint, spans } = await collector();
  const place = await work();
  await aieval(['run', 'manifest.json'], {
    cwd: place.dir,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'always_off' },
  });
  expect(spans).toEqual([]);
});

test('a collector that refuses is told once, and keeps no run from its end', async () => {
  const { endpoint } = await collector(400);
  const place = await work();
  const { exitCode, stderr } = await aieval(['run', 'manifest.json', '--display', 'plain'], {
    cwd: place.dir,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  });
  expect(exitCode).toBe(3);
  expect(stderr.match(/traces cannot be sent/g)).toHaveLength(1);
});

test('without a collector nothing of OpenTelemetry, of the metrics or of the log is loaded', async () => {
  const place = await work();
  place.write(
    'loaded.cjs',
    `process.on('exit', () => require('node:fs').writeFileSync('loaded.json', JSON.stringify(Object.keys(require.cache))));`,
  );
  const loaded = async (env: Readonly<Record<string, string>>): Promise<string> => {
    await aieval(['run', 'manifest.json', '--new'], { cwd: place.dir, env, nodeArguments: ['--require', join(place.dir, 'loaded.cjs')] });
    return place.read('loaded.json');
  };
  const off = await loaded({});
  expect(off).toContain('better-sqlite3');
  expect(off).not.toMatch(/@opentelemetry|prom-client|\/pino\//);
  const on = await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  expect(on).toMatch(/@opentelemetry\/sdk-trace/);
  for (const disabled of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }]) {
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', ...disabled })).not.toMatch(/@opentelemetry/);
  }
});
