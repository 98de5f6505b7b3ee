import { jsonrepair } from 'jsonrepair';
import type { Json } from '../domain/canonical-json.ts';
import type { FinishReason } from '../domain/completion.ts';
import { isJson } from './is-json.ts';
import { keepsValues, unreadableNumber } from './json-numbers.ts';
import { repeatedKey } from './repeated-key.ts';
import { oneLine, showValue } from './show.ts';
import { createValidator, type Validator, type ValidatorFor } from './validator.ts';

export type AnswerForm = { readonly format: 'json'; readonly schema: Json | null } | { readonly format: 'text' };

export type ParsedAnswer =
  | {
      readonly ok: true;
      readonly answer: Json;
      /** The JSON was mended before it could be read. */
      readonly repaired: boolean;
    }
  | {
      readonly ok: false;
      /** At most ten lines, fit for a person and for a re-ask. */
      readonly errors: readonly string[];
      /** There was nothing but white space and thinking. */
      readonly empty: boolean;
    };

/** Deeper answers would overflow the stack of whoever walks or writes them. */
const DEEPEST = 200;
const OPENING_FENCE = /^(`{3,}|~{3,})[^\n`]*\n/;
const THINKING = '<think>';
const THOUGHT = '</think>';

/**
 * The answer in a completion's text. A leading `<think>…</think>` block goes, for JSON also one code fence around the rest. JSON
 * that cannot be read is mended only when the model had finished (`stop`), it is an array or object, no value of it is invented, and the
 * schema then holds; words around the one fence count as such a fault. JSON that says a key twice, or a number that cannot be held, is no answer. Throws an `Error` only for an invalid schema.
 */
export function parseAnswer(
  content: string,
  form: AnswerForm,
  finishReason: FinishReason,
  validatorFor: ValidatorFor = createValidator,
): ParsedAnswer {
  const text = withoutThinking(content.trim(), form.format === 'json');
  if (text === '') return { ok: false, errors: ['the answer is empty'], empty: true };
  if (form.format === 'text') return { ok: true, answer: text, repaired: false };
  const json = withoutFence(text);
  const validate = form.schema === null ? () => [] : validatorFor(form.schema);
  const read = readJson(json);
  if (read.ok) return judged(json, read.value, validate, false);
  const mended = finishReason === 'stop' ? (mend(json, validate) ?? amidWords(text, validate)) : null;
  return mended ?? invalid(`the answer is not JSON: ${read.message}`);
}

/** `mayLackOpening`: some servers eat the opening tag and leave `thinking </think> answer`. */
function withoutThinking(text: string, mayLackOpening: boolean): string {
  const end = text.indexOf(THOUGHT);
  if (text.startsWith(THINKING)) return end === -1 ? '' : text.slice(end + THOUGHT.length).trim();
  return mayLackOpening && end !== -1 && !/^[[{"`]/.test(text) ? text.slice(end + THOUGHT.length).trim() : text;
}

function withoutFence(text: string): string {
  const opening = OPENING_FENCE.exec(text);
  const fence = opening?.[1];
  if (opening === null || fence === undefined || !text.endsWith(fence)) return text;
  return text.slice(opening[0].length, Math.max(opening[0].length, text.length - fence.length)).trim();
}

type Read = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

function readJson(text: string): Read {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? { ok: true, value } : { ok: false, message: 'no value' };
  } catch (error) {
    return { ok: false, message: oneLine(error instanceof Error ? error.message : String(error), 120) };
  }
}

/** Whether the JSON that was read may stand as the answer. */
function judged(json: string, answer: Json, validate: Validator, repaired: boolean): ParsedAnswer {
  if (isTooDeep(answer)) return invalid(`the answer is nested more than ${DEEPEST} levels deep`);
  const key = repeatedKey(json);
  if (key !== null) return invalid(`the answer says the key ${showValue(key)} twice in one object`);
  const number = unreadableNumber(json);
  if (number !== null) return invalid(`the answer holds a number that is too large or too small: ${oneLine(number, 40)}`);
  const errors = validate(answer);
  return errors.length === 0 ? { ok: true, answer, repaired } : { ok: false, errors, empty: false };
}

function invalid(error: string): ParsedAnswer {
  return { ok: false, errors: [error], empty: false };
}

/** `null` when the text is no array or object, cannot be mended, says something else afterwards, or breaks the schema. */
function mend(text: string, validate: Validator): ParsedAnswer | null {
  if (!/^[[{]/.test(text)) return null;
  const mended = repaired(text);
  const read = readJson(mended);
  if (!read.ok || typeof read.value !== 'object' || read.value === null) return null;
  const parsed = judged(mended, read.value, validate, true);
  return parsed.ok && keepsValues(text, mended) ? parsed : null;
}

const FENCED_BLOCK = /^(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n\1[ \t]*$/gm;

/** The one fenced block of a text that says something around it, if it is whole; `null` when it is not, or when there are several. */
function amidWords(text: string, validate: Validator): ParsedAnswer | null {
  const blocks = [...text.matchAll(FENCED_BLOCK)];
  const block = blocks.length === 1 ? blocks[0]?.[2] : undefined;
  const read = block === undefined ? null : readJson(block);
  if (block === undefined || read === null || !read.ok) return null;
  const parsed = judged(block, read.value, validate, true);
  return parsed.ok ? parsed : null;
}

/** The mended text; the same text when it is past mending. */
function repaired(text: string): string {
  try {
    return jsonrepair(text);
  } catch {
    // Past mending: the caller reports what was wrong with the text itself.
    return text;
  }
}

function isTooDeep(value: Json): boolean {
  let layer: Json[] = [value];
  for (let depth = 0; layer.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    layer = layer.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return false;
}
