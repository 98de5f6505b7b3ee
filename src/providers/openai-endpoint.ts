import { Agent } from 'undici';
import { UserError } from '../domain/errors.ts';
import { LimitNames } from './limit-names.ts';
import { type Secrets, secretsOf } from './secrets.ts';
import { type Vendor, vendorOf } from './vendor.ts';

export type OpenAiOptions = {
  /** Up to and with `/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /** `null` sends no `Authorization`. */
  readonly apiKey: string | null;
  /** Sent with every request; they win over our own. */
  readonly headers: { readonly [name: string]: string };
  readonly stream: boolean;
  /** Most calls at once. With fewer connections, calls would queue where their timers already run. */
  readonly connections: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

/** A server, and the connections to it. */
export type Endpoint = {
  readonly baseUrl: string;
  /** `host:port`, for messages. */
  readonly host: string;
  readonly agent: Agent;
  readonly headers: { readonly [name: string]: string };
  /** The key and the headers' values, which nothing that leaves may hold. */
  readonly secrets: Secrets;
  readonly vendor: Vendor;
  readonly limitNames: LimitNames;
  readonly stream: boolean;
  readonly clock: () => number;
};

/** Above any `timeouts.connectMs` of use: a call's own timer ends it first. */
const CONNECT_MS = 120_000;
const NO_ANSWER_YET = 4;

/** Throws `UserError` when the key or a header cannot be sent, as when a line break came along with it. */
export function openEndpoint(options: OpenAiOptions): Endpoint {
  const { baseUrl, apiKey, headers, stream, connections, clock } = options;
  const { host, hostname } = new URL(baseUrl);
  const vendor = vendorOf(hostname);
  const authorization: { [name: string]: string } = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  const all = { 'user-agent': 'aieval', ...authorization, ...lowerCased(headers) };
  for (const [name, value] of Object.entries(all)) refuseUnsendable(name, value, host);
  return {
    baseUrl,
    host,
    agent: new Agent({ connections, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } }),
    headers: all,
    secrets: secretsOf([...(apiKey === null ? [] : [apiKey]), ...Object.values(headers)]),
    vendor,
    limitNames: new LimitNames(vendor.limitName),
    stream,
    clock,
  };
}

function lowerCased(headers: OpenAiOptions['headers']): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function refuseUnsendable(name: string, value: string, host: string): void {
  if (/^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]+$/.test(value)) return;
  const what = name === 'authorization' ? 'the API key' : `the value of header "${name}"`;
  throw new UserError({
    code: 'E05',
    exitCode: NO_ANSWER_YET,
    message: `${what} for ${host} cannot be sent: it is empty, or holds a line break or another character that no header may hold`,
    next: ['set the variable again, without quotation marks and line breaks'],
  });
}
