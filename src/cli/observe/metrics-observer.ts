import { errorCode } from '../../artifacts/storage-error.ts';
import { UserError } from '../../domain/errors.ts';
import { MetricSet } from '../../observe/metrics/metric-set.ts';
import { type MetricsAddress, type MetricsServer, type MetricsSource, serveMetrics } from '../../observe/metrics/metrics-server.ts';
import { setQueue } from '../../observe/metrics/queue-metrics.ts';
import { WorkMetrics } from '../../observe/metrics/work-metrics.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { packageVersion } from '../version.ts';
import type { Observer } from './observer.ts';
import { readQueue, type Watched } from './queue-numbers.ts';

/** Who scrapes waits no longer: then the numbers of the store are missing, and it is told that they are. */
const LONGEST_READ_MS = 2000;

/** The metrics of `--metrics`, of a process with these tags. Throws `UserError` (E39) when nobody can listen there. */
export async function metricsObserver(
  io: CliIo,
  address: MetricsAddress,
  tags: readonly string[],
): Promise<Observer & { readonly url: string }> {
  const metrics = new MetricSet();
  metrics.set('aieval_build_info', 1, { version: packageVersion() });
  const work = new WorkMetrics(metrics);
  const state = new StoreState(io, tags);
  const server = await listen(address, {
    families: async () => {
      if (state.isOpen) setQueue(metrics, await state.queue());
      return await metrics.families();
    },
    notReady: () => state.notReady(),
  });
  return {
    url: server.url,
    onWork: (news) => work.onWork(news),
    onLockRetry: () => work.onLockRetry(),
    onStore: (store, watched) => state.open(store, watched),
    onEvent: (event) => {
      if (event.kind === 'stopping') state.stop();
    },
    close: () => server.close(),
  };
}

/** The store as scrapes see it. */
class StoreState {
  readonly #io: CliIo;
  readonly #tags: readonly string[];
  #opened: { readonly store: Store; readonly watched: Watched } | null = null;
  #isStopping = false;

  constructor(io: CliIo, tags: readonly string[]) {
    this.#io = io;
    this.#tags = tags;
  }

  get isOpen(): boolean {
    return this.#opened !== null;
  }

  open(store: Store, watched: Watched): void {
    this.#opened = { store, watched };
  }

  stop(): void {
    this.#isStopping = true;
  }

  async queue() {
    if (this.#opened === null) return null;
    const { store, watched } = this.#opened;
    return await inTime(readQueue(store, { watched, tags: this.#tags }, this.#io.now()));
  }

  async notReady(): Promise<string | null> {
    if (this.#isStopping) return 'stopping';
    if (this.#opened === null) return 'starting';
    const answer = await inTime(this.#opened.store.maxRunning().then(() => true));
    return answer === null ? 'the store does not answer' : null;
  }
}

/** `null`: it failed, or took too long. */
async function inTime<Value>(reading: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_READ_MS);
  });
  try {
    return await Promise.race([reading.catch(() => null), limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function listen(address: MetricsAddress, source: MetricsSource): Promise<MetricsServer> {
  try {
    return await serveMetrics(address, source);
  } catch (error) {
    throw cannotListen(address, error);
  }
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'nobody knows that name',
  EACCES: 'ports below 1024 are not for everybody',
};

function cannotListen({ host, port }: MetricsAddress, cause: unknown): UserError {
  const code = errorCode(cause);
  const name = host.includes(':') ? `[${host}]` : host;
  const why = WHY[code];
  const message = `--metrics: cannot listen at ${name}:${port} (${code}${why === undefined ? '' : `: ${why}`}). Nothing was spent`;
  const other = port < 1024 ? 9464 : port + 1;
  return new UserError({ code: 'E39', exitCode: EXIT.usage, message, next: [`the same command with --metrics 127.0.0.1:${other}`], cause });
}
