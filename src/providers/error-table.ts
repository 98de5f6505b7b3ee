import type { FailureClass, Reason } from '../domain/reason.ts';

/** What the rows decide on. */
export type ErrorFacts = {
  /** HTTP status; for an error inside a 200, the status that the body names. */
  readonly status: number | null;
  /** Vendor codes and types in lower case. */
  readonly codes: readonly string[];
  readonly param: string | null;
  /** The body's message in lower case. */
  readonly text: string;
  readonly html: boolean;
  /** Whether the request asked for a form by `response_format`. */
  readonly structured: boolean;
};

export type ErrorRow = { readonly class: FailureClass; readonly reason: Reason; readonly when: (facts: ErrorFacts) => boolean };

const QUOTA = codes(
  'insufficient_quota credit_balance_exhausted billing_hard_limit_reached billing_not_active access_terminated quota_exceeded',
  'enforced_spend_limit_reached billing_error',
);
const BLOCKED = codes('content_filter content_policy_violation invalid_prompt cyber_policy responsibleaipolicyviolation');
const RATE = codes('rate_limit_exceeded rate_limit_error rate_limited too_many_requests resource_exhausted');
const TOO_LONG = codes('context_length_exceeded exceed_context_size_error request_too_large string_above_max_length');
const AUTH = codes('invalid_api_key authentication_error permission_error permission_denied unauthenticated api_key_invalid');
const MODEL = codes('model_not_found model_not_available invalid_model');
const BAD_REQUEST = codes('invalid_request_error bad_request invalid_argument badrequesterror');

const NO_CREDIT = /credit balance is too low|insufficient (?:credits|balance|funds)/;
const CONTEXT =
  /maximum context length|context[ _]length[ _]exceeded|exceeds? the (?:available )?context|context size has been exceeded|context window|(?:prompt|input) is too long|reduce the length of the messages/;
const KEY_REFUSED = /api key not valid|(?:invalid|incorrect) api key/;
const NO_MODEL = /model\b.{0,200}\b(?:not found|does not exist|not exist)|not a valid model|unknown model|no endpoints found for/;
/** The last ones are llama.cpp's: a schema that its grammar cannot express, a template that does not fit the model. */
const FORM_REFUSED =
  /response_format|json_schema|json_object|json schema|structured output|guided_|requested parameters|generate parser for this template|pattern must start with|initialize samplers/;
const NEVER_PARSED = /\[json\.exception\.|failed to parse (?:messages|input)|input is not supported/;

/**
 * What an error answer means. The first row that fits decides; rows look at status and code before text, and what must not be
 * retried comes before what may be.
 */
export const ERROR_TABLE: readonly ErrorRow[] = [
  row('fatal', 'quota', (f) => f.status === 402 || has(f, QUOTA) || (among(f, 400, 403, 429) && NO_CREDIT.test(f.text))),
  row('permanent', 'blocked_input', (f) => has(f, BLOCKED) || (f.status === 403 && /flagged|moderation/.test(f.text))),
  row('permanent', 'input_too_long', (f) => f.status === 413 || has(f, TOO_LONG) || (f.status === 429 && /request too large/.test(f.text))),
  row('rate', 'rate_limited', (f) => f.status === 429 || (!among(f, 400, 401, 403, 404) && has(f, RATE))),
  row('fatal', 'wrong_url', (f) => f.html && (f.status ?? 0) < 500 && !among(f, 401, 408)),
  row('fatal', 'auth', (f) => among(f, 401, 403) || has(f, AUTH) || (f.status === 400 && KEY_REFUSED.test(f.text))),
  row('permanent', 'input_too_long', (f) => CONTEXT.test(f.text)),
  row('capability', 'unsupported', refusesForm),
  row('fatal', 'model_unknown', (f) => has(f, MODEL) || (among(f, 400, 404, 422) && NO_MODEL.test(f.text))),
  row('fatal', 'wrong_url', (f) => among(f, 404, 405, 501) || isRedirect(f)),
  row('permanent', 'bad_request', (f) => NEVER_PARSED.test(f.text)),
  row('transient', 'server_error', (f) => among(f, 408, 409, 425)),
  row('permanent', 'bad_request', (f) => isClientError(f) || (f.status === null && has(f, BAD_REQUEST))),
  row('transient', 'server_error', () => true),
];

function refusesForm(facts: ErrorFacts): boolean {
  if (!facts.structured || !(facts.status === null || among(facts, 400, 404, 422, 500, 501))) return false;
  return FORM_REFUSED.test(facts.text) || FORM_REFUSED.test(facts.param ?? '');
}

function isRedirect({ status }: ErrorFacts): boolean {
  return status !== null && status >= 300 && status < 400;
}

function isClientError({ status }: ErrorFacts): boolean {
  return status !== null && status >= 400 && status < 500;
}

function among({ status }: ErrorFacts, ...statuses: readonly number[]): boolean {
  return status !== null && statuses.includes(status);
}

function has(facts: ErrorFacts, known: ReadonlySet<string>): boolean {
  return facts.codes.some((code) => known.has(code));
}

function codes(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(' ')));
}

function row(failureClass: FailureClass, reason: Reason, when: (facts: ErrorFacts) => boolean): ErrorRow {
  return { class: failureClass, reason, when };
}
