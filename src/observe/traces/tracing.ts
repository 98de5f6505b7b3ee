import { DiagLogLevel, diag, ROOT_CONTEXT } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { traceIdOf } from '../../domain/trace-id.ts';
import { WorkSpans } from './work-spans.ts';

export type TracingOptions = {
  readonly version: string;
  /** Hears once why spans cannot be sent. */
  readonly onProblem: (message: string) => void;
};

export type Tracing = {
  readonly spans: WorkSpans;
  /** Sends what is left, for no longer than a collector that answers needs. */
  close(atMs: number): Promise<void>;
};

/** Of a collector that does not answer: what is left is dropped then. */
const LONGEST_CLOSE_MS = 5000;

/**
 * Traces by OpenTelemetry. Where they go, with which headers, under which name and how many of them is read by its SDK from the `OTEL_…`
 * variables of the process. Loading this takes a tenth of a second: do it only when it is asked for.
 */
export function openTracing({ version, onProblem }: TracingOptions): Tracing {
  const problem = once(onProblem);
  listenForProblems(problem);
  const ids = new RunTraceIds();
  const named = resourceFromAttributes({ 'service.name': 'aieval', 'service.version': version });
  const provider = new BasicTracerProvider({
    // What the environment says comes last, and wins.
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const spans = new WorkSpans(provider.getTracer('aieval', version), (tracer, runId, attributes, startTime) =>
    ids.within(traceIdOf(runId), () => tracer.startSpan('run', { startTime, attributes, root: true }, ROOT_CONTEXT)),
  );
  return {
    spans,
    close: async (atMs) => {
      spans.close(atMs);
      if (!(await inTime(provider.shutdown()))) problem();
      diag.disable();
    },
  };
}

/** The SDK asks for a new trace's id without saying what the trace is of. */
class RunTraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  readonly generateSpanId = this.#random.generateSpanId;
  #traceId: string | null = null;

  generateTraceId(): string {
    return this.#traceId ?? this.#random.generateTraceId();
  }

  within<Value>(traceId: string, start: () => Value): Value {
    this.#traceId = traceId;
    try {
      return start();
    } finally {
      this.#traceId = null;
    }
  }
}

/** What the SDK says of it may hold headers, so it is not repeated. */
function once(onProblem: TracingOptions['onProblem']): () => void {
  let isTold = false;
  return () => {
    if (!isTold) onProblem('traces cannot be sent: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them');
    isTold = true;
  };
}

function listenForProblems(error: () => void): void {
  const silent = (): void => undefined;
  diag.setLogger(
    { error, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}

/** False when it failed, which is no reason for a run to fail, or took too long. */
async function inTime(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), LONGEST_CLOSE_MS);
  });
  const done = await Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    limit,
  ]);
  clearTimeout(timer);
  return done;
}
