import type { FailureClass, Reason } from '../domain/reason.ts';
import type { ErrorFacts } from './error-facts.ts';
import { exceedsWholeLimit } from './rate-limit.ts';

export type ErrorRow = { readonly class: FailureClass; readonly reason: Reason; readonly when: (facts: ErrorFacts) => boolean };

const QUOTA = codes(
  'insufficient_quota credit_balance_exhausted billing_hard_limit_reached billing_not_active access_terminated quota_exceeded',
  'enforced_spend_limit_reached billing_error exceeded_current_quota_error insufficient_balance payment_required',
);
const BLOCKED = codes(
  'content_filter content_policy_violation invalid_prompt cyber_policy responsibleaipolicyviolation',
  'moderation_blocked data_inspection_failed',
);
const RATE = codes('rate_limit_exceeded rate_limit_error rate_limit_reached_error rate_limited too_many_requests resource_exhausted');
const TOO_LONG = codes('context_length_exceeded exceed_context_size_error request_too_large string_above_max_length');
const AUTH = codes('invalid_api_key authentication_error permission_error permission_denied unauthenticated api_key_invalid');
const MODEL = codes('model_not_found model_not_available model_not_active model_decommissioned invalid_model deploymentnotfound');
const BAD_REQUEST = codes('invalid_request_error bad_request invalid_argument badrequesterror');

/** A limit of 0 is Google's for what an account may not use at all. */
const NO_CREDIT =
  /credit balance is too low|insufficient (?:credits|balance|funds)|reached your specified (?:api )?usage limits|\blimit: 0\b/;
const OVERLOADED = /high demand|overloaded|no capacity/;
/** Not `error loading model`: that does not pass. */
const LOADING = /^loading model|\b(?:is|still|currently) loading\b/;
const MODERATED = /flagged|moderation|usage guidelines|content policy/;
const OUTPUT_BLOCKED = /output blocked by content filter/;
const ACCOUNT_SETTING = /data policy|privacy settings|no allowed providers/;
const CONTEXT =
  /maximum context length|context[ _]length[ _]exceeded|exceeds? the (?:available )?context|context size has been exceeded|context window|(?:prompt|input) is too long|reduce the length of the messages|maximum (?:prompt|model) length|token count .{0,40}exceeds the maximum|inputs` (?:tokens \+|must have less)|too many tokens|context the overflows|max_tokens must be at least 1, got -/;
const KEY_REFUSED = /api key not valid|(?:invalid|incorrect) api key/;
const NO_MODEL =
  /model\b.{0,200}\b(?:not found|does not exist|not exist)|not a valid model|unknown model|no endpoints found for|^model: \S+$/;
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
  row('permanent', 'blocked_output', (f) => f.status === 400 && OUTPUT_BLOCKED.test(f.text)),
  row('permanent', 'blocked_input', (f) => has(f, BLOCKED) || (among(f, 400, 403) && MODERATED.test(f.text))),
  row('permanent', 'input_too_long', (f) => f.status === 413 || has(f, TOO_LONG) || (f.status === 429 && exceedsWholeLimit(f))),
  row('transient', 'server_error', (f) => f.status === 429 && OVERLOADED.test(f.text)),
  row('rate', 'rate_limited', (f) => f.status === 429 || (!among(f, 400, 401, 403, 404) && has(f, RATE))),
  // Whoever asks is told so, until it is there: nobody's attempts are used up.
  row('rate', 'server_error', (f) => f.status === 503 && LOADING.test(f.text)),
  row('fatal', 'wrong_url', (f) => f.html && (f.status ?? 0) < 500 && !among(f, 401, 408)),
  row('fatal', 'model_unknown', (f) => has(f, MODEL)),
  row('fatal', 'auth', (f) => among(f, 401, 403, 451) || has(f, AUTH) || (f.status === 400 && KEY_REFUSED.test(f.text))),
  row('fatal', 'auth', (f) => f.status === 404 && ACCOUNT_SETTING.test(f.text)),
  row('permanent', 'input_too_long', (f) => CONTEXT.test(f.text)),
  row('capability', 'unsupported', refusesForm),
  row('fatal', 'unsupported', (f) => isRefusal(f) && (f.refused !== null || f.text.includes('requested parameters'))),
  row('fatal', 'model_unknown', (f) => among(f, 400, 404, 422) && NO_MODEL.test(f.text)),
  row('fatal', 'wrong_url', (f) => among(f, 404, 405, 410, 501) || isRedirect(f)),
  row('permanent', 'bad_request', (f) => NEVER_PARSED.test(f.text)),
  row('transient', 'server_error', (f) => among(f, 408, 409, 421, 425, 499)),
  row('permanent', 'bad_request', (f) => isClientError(f) || (f.status === null && has(f, BAD_REQUEST))),
  row('transient', 'server_error', () => true),
];

function refusesForm(facts: ErrorFacts): boolean {
  if (!facts.structured || !(facts.status === null || among(facts, 400, 404, 422, 500, 501))) return false;
  return FORM_REFUSED.test(facts.text) || FORM_REFUSED.test(facts.param ?? '');
}

/** Also inside a 200 whose body names no status. */
function isRefusal(facts: ErrorFacts): boolean {
  return facts.status === null || among(facts, 400, 404, 422);
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
