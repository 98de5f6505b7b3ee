import { isIP } from 'node:net';
import type { LogLevel } from '../../observe/log/log-record.ts';
import type { MetricsAddress } from '../../observe/metrics/metrics-server.ts';

/** How a command that works is watched; of `run`, `retry` and `worker`. */
export type ObserveOptions = {
  /** `HOST:PORT`. */
  readonly metrics?: MetricsAddress;
  /** A path, or `STDERR`. */
  readonly logFile?: string;
  readonly logLevel?: LogLevel;
  /** What this machine has. */
  readonly tags?: readonly string[];
};

/** In the place of the path of a log. */
export const STDERR = '-';

/** What an address to listen at looks like, for messages. */
export const ADDRESS_FORM = 'HOST:PORT, such as 127.0.0.1:9464 or [::1]:9464';

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const MOST_PORT = 65_535;

/** The address that a text names; `null`: none. The host must be said, so that nobody listens to the world by leaving it out. */
export function metricsAddress(text: string): MetricsAddress | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  if (digits === undefined || port > MOST_PORT) return null;
  if (bracketed !== undefined) return isIP(host) === 6 ? { host, port } : null;
  return HOST_NAME.test(host) ? { host, port } : null;
}
