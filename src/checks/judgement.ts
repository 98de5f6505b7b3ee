import type { Json } from '../domain/canonical-json.ts';
import type { Judgement } from './check.ts';
import { oneLine } from './show.ts';

/** A pass; the explanation is empty unless there is something to remark. */
export function passed(value: Json, remark = ''): Judgement {
  return { verdict: 'pass', value, explanation: oneLine(remark), findings: [] };
}

/** A fail with what was expected and what came, on one line of at most 200 characters. */
export function failed(value: Json, explanation: string): Judgement {
  return { verdict: 'fail', value, explanation: oneLine(explanation), findings: [] };
}
