import type { CliIo } from '../io.ts';
import { packageVersion } from '../version.ts';
import type { Observer, Tell } from './observer.ts';

/** Whether the environment names a collector of traces. */
export function wantsTraces({ env }: Pick<CliIo, 'env'>): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all = '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own = '' } = env;
  return all + own !== '' && env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && env.OTEL_TRACES_EXPORTER !== 'none';
}

/** The traces of `OTEL_EXPORTER_OTLP_ENDPOINT`. Loads OpenTelemetry. */
export async function traceObserver(io: CliIo, tell: Tell): Promise<Observer> {
  passToSdk(io.env);
  const { openTracing } = await import('../../observe/traces/tracing.ts');
  const { spans, close } = openTracing({ version: packageVersion(), onProblem: tell });
  return {
    onWork: (news) => spans.onWork(news),
    onEvent: (event) => {
      if (event.kind === 'run.started') spans.runStarted(event.runId, event.name, io.now());
    },
    onFinished: ({ run, verdict, exitCode }) =>
      spans.runEnded(run.runId, { 'aieval.run.verdict': verdict, 'aieval.exit_code': exitCode }, io.now()),
    close: () => close(io.now()),
  };
}

/** The SDK reads the variables of the process; those of a `.env` are not among them. */
function passToSdk(env: CliIo['env']): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('OTEL_') && value !== undefined) process.env[name] ??= value;
  }
}
