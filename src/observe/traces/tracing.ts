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
  listenForProblems(onProblem);
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
      await bounded(provider.shutdown());
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

function listenForProblems(onProblem: (message: string) => void): void {
  let isTold = false;
  const silent = (): void => undefined;
  const error = (): void => {
    if (!isTold) onProblem('traces cannot be sent: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them');
    isTold = true;
  };
  diag.setLogger(
    { error, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}

async function bounded(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_CLOSE_MS);
  });
  // What could not be sent was told by then; it is no reason for a run to fail.
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
