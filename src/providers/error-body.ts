import { isRecord, type JsonRecord, listAt, parsedJson, textAt } from './json-shape.ts';

/** What an error body says, whatever its shape. */
export type ErrorDetail = {
  /** Vendor codes and types in lower case, the most telling first; numbers are not among them. */
  readonly codes: readonly string[];
  /** A number 100–599 given as code or status inside the body: servers that answer 200 put the real one there. */
  readonly status: number | null;
  readonly param: string | null;
  /** Names of the quotas that Google says are used up, in lower case. */
  readonly quotas: readonly string[];
  readonly message: string;
};

const NOTHING: ErrorDetail = { codes: [], status: null, param: null, quotas: [], message: '' };

/** Known shapes nest at most three deep; what nests deeper is not an error body. */
const DEEPEST = 4;
const LONGEST_MESSAGE = 2000;

/**
 * Reads `{error:{…}}`, `{error:"…"}`, `[{error:{…}}]`, `{detail:…}` (also FastAPI's list), flat `{message,code}`, plain text and
 * HTML. Never throws; `message` is empty only for an empty body.
 */
export function readErrorBody(body: string): ErrorDetail {
  const value = parsedJson(body);
  const detail = value === undefined ? null : detailOf(value, 0);
  if (detail === null || (detail.message === '' && detail.codes.length === 0)) {
    return { ...NOTHING, status: detail?.status ?? null, message: strippedText(body, LONGEST_MESSAGE) };
  }
  return { ...detail, message: detail.message.slice(0, LONGEST_MESSAGE) };
}

/** Text for a person out of text or HTML: tags and runs of white space removed, at most `limit` characters. */
export function strippedText(text: string, limit: number): string {
  const visible = text
    .slice(0, 16_384)
    .replace(/<(script|style)\b[^<]*<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
  return visible.replace(/\s+/g, ' ').trim().slice(0, limit);
}

function detailOf(value: unknown, depth: number): ErrorDetail | null {
  if (typeof value === 'string') return { ...NOTHING, message: value };
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value)) return detailOf(value[0], depth + 1);
  if (!isRecord(value)) return null;
  const inner = value.error ?? value.detail ?? value.errors;
  const nested = inner === undefined || inner === null ? null : detailOf(inner, depth + 1);
  return merged(ownDetail(value), nested);
}

function ownDetail(record: JsonRecord): ErrorDetail {
  const { code, type, status } = record;
  const details = listAt(record, 'details');
  const violations = details.flatMap((detail) => listAt(detail, 'violations'));
  const words = [code, type, status, ...details.map((detail) => textAt(detail, 'reason'))].filter(
    (item) => typeof item === 'string' && item !== '' && !/^\d+$/.test(item),
  );
  return {
    codes: words.map((word) => String(word).toLowerCase()),
    status: httpStatus(code) ?? httpStatus(status),
    param: textAt(record, 'param'),
    quotas: violations.flatMap((violation) => textAt(violation, 'quotaId')?.toLowerCase() ?? []),
    message: messageOf(record),
  };
}

/** OpenRouter puts the upstream's own words into `metadata.raw`; FastAPI names the field in `loc`. */
function messageOf(record: JsonRecord): string {
  const message = textAt(record, 'message') ?? textAt(record, 'msg') ?? '';
  const upstream = textAt(record.metadata, 'raw');
  if (upstream !== null) return `${message} (${strippedText(upstream, 500)})`;
  return Array.isArray(record.loc) ? `${record.loc.filter((part) => typeof part === 'string').join('.')}: ${message}` : message;
}

function httpStatus(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 100 && number <= 599 ? number : null;
}

/** The inner object is the error; what stands around it fills the gaps. */
function merged(outer: ErrorDetail, inner: ErrorDetail | null): ErrorDetail {
  if (inner === null) return outer;
  return {
    codes: [...new Set([...inner.codes, ...outer.codes])],
    status: inner.status ?? outer.status,
    param: inner.param ?? outer.param,
    quotas: [...inner.quotas, ...outer.quotas],
    message: inner.message === '' ? outer.message : inner.message,
  };
}
