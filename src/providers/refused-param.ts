import type { ModelParams } from '../domain/completion.ts';
import type { ErrorDetail } from './error-body.ts';
import { isLimitName, type OutputLimitName } from './wire-body.ts';

/** A parameter that a server blames for its refusal. */
export type RefusedParam = {
  /** As the manifest calls it. */
  readonly name: string;
  /** The server does not know this name of the output limit, whatever its value. */
  readonly limitName: OutputLimitName | null;
};

/** A parameter's name inside a sentence says nothing unless the sentence complains. */
const COMPLAINT =
  /support|unrecognized|unknown|unexpected|extra|not (?:permitted|allowed)|valid|must|should|cannot|deprecated|too (?:large|high|many|long)|range|greater|less|m(?:ax|in)imum|at (?:least|most)|json\.exception/;
const BAD_NAME = /unsupported parameter|not supported|does not support|unrecognized|unknown|unexpected|extra|not permitted|use '?max_/;
const BAD_NAME_CODES: ReadonlySet<string> = new Set(['unsupported_parameter', 'unknown_parameter', 'extra_forbidden']);

/** Name on the wire → name in the manifest, of the parameters that a request sends. */
export function sentParams(params: ModelParams, limitName: OutputLimitName): ReadonlyMap<string, string> {
  const wireNames: { readonly [name: string]: string } = { topP: 'top_p', maxOutputTokens: limitName };
  const names = Object.keys(params).filter((name) => params[name] !== undefined);
  return new Map(names.map((name) => [wireNames[name] ?? name, name]));
}

/** The parameter that an error answer blames, of those that were sent; `null` when it blames none of them. */
export function refusedParam(detail: ErrorDetail, sent: ReadonlyMap<string, string>): RefusedParam | null {
  const text = detail.message.toLowerCase();
  const wireName = pointedAt(detail.param, sent) ?? namedIn(text, sent);
  const name = wireName === null ? undefined : sent.get(wireName);
  if (wireName === null || name === undefined) return null;
  const badName = detail.codes.some((code) => BAD_NAME_CODES.has(code)) || BAD_NAME.test(text);
  return { name, limitName: badName && isLimitName(wireName) ? wireName : null };
}

/** `temperature`, `body.temperature` or `reasoning.effort`. */
function pointedAt(param: string | null, sent: ReadonlyMap<string, string>): string | null {
  const parts = param?.split('.') ?? [];
  const candidates = [param, parts.at(-1), parts[0]];
  return candidates.find((candidate) => candidate != null && sent.has(candidate)) ?? null;
}

function namedIn(text: string, sent: ReadonlyMap<string, string>): string | null {
  if (!COMPLAINT.test(text)) return null;
  const words = new Set(text.match(/[\w-]+/g));
  return [...sent.keys()].find((name) => words.has(name.toLowerCase())) ?? null;
}
