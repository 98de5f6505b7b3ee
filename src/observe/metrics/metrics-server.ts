import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTENT_TYPES, expose, type Family, preferredFormat } from './exposition.ts';

export type MetricsAddress = { readonly host: string; readonly port: number };

export type MetricsSource = {
  /** Read when somebody asks, at most once a second. */
  readonly families: () => Promise<readonly Family[]>;
  /** Why no work is taken now; `null`: it is. */
  readonly notReady: () => Promise<string | null>;
};

export type MetricsServer = {
  readonly url: string;
  /** Ends it at once, whoever is being answered. */
  close(): Promise<void>;
};

/** Whoever asks more often gets what was read before: no number of requests makes the work slow. */
const READ_EVERY_MS = 1000;
/** Who scrapes needs one connection; the others are people. */
const MOST_CONNECTIONS = 16;
const SLOWEST_CLIENT_MS = 5000;
const TIMES = {
  headersTimeout: SLOWEST_CLIENT_MS,
  requestTimeout: SLOWEST_CLIENT_MS,
  keepAliveTimeout: SLOWEST_CLIENT_MS,
  connectionsCheckingInterval: SLOWEST_CLIENT_MS / 5,
};

/**
 * Listens for scrapes (`/metrics`) and supervisors (`/healthz`: this process turns its loop; `/readyz`: it takes work). Rejects with the
 * system's error when it cannot listen there.
 */
export async function serveMetrics({ host, port }: MetricsAddress, source: MetricsSource): Promise<MetricsServer> {
  const families = cached(source.families);
  const notReady = cached(source.notReady);
  const server = createServer(
    // What does not ask quickly is cut off, and no body is read.
    { ...TIMES, maxHeaderSize: 8192 },
    (request, response) => {
      answer(request, { families, notReady }).then(
        (reply) => send(request, response, reply),
        () => send(request, response, text(500, 'failed')),
      );
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  // A supervisor must not keep a finished process.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return { url: urlOf(server.address()), close: () => closed(server) };
}

type Reply = { readonly status: number; readonly type: string; readonly body: string };

async function answer({ method = '', url = '', headers }: IncomingMessage, source: MetricsSource): Promise<Reply> {
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET');
  switch (url.split('?')[0]) {
    case '/metrics': {
      const format = preferredFormat(headers.accept ?? '');
      return { status: 200, type: CONTENT_TYPES[format], body: expose(await source.families(), format) };
    }
    case '/healthz':
      return text(200, 'ok');
    case '/readyz': {
      const why = await source.notReady();
      return why === null ? text(200, 'ok') : text(503, why);
    }
    default:
      return text(404, '/metrics, /healthz, /readyz');
  }
}

function text(status: number, line: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Reads once for all who ask while it reads, and no sooner than a second after it was done. */
function cached<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<Value> | null = null;
  let againAtMs = Number.POSITIVE_INFINITY;
  return () => {
    if (last !== null && performance.now() < againAtMs) return last;
    againAtMs = Number.POSITIVE_INFINITY;
    last = read().finally(() => {
      againAtMs = performance.now() + READ_EVERY_MS;
    });
    return last;
  };
}

function urlOf(address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string') throw new Error('a TCP server has an address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

function closed(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
