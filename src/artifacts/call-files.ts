import type { Completion } from '../domain/completion.ts';
import type { Page, Span } from '../domain/document.ts';
import { inSendOrder, type JobArtifacts, type StepSource, stepName } from './job-record.ts';
import { prettyJson } from './json-text.ts';
import { requestFile, type StoredText } from './request-file.ts';

/** A file of a run; `path` is relative to the run's folder. */
export type ArtifactFile = { readonly path: string; readonly content: string };

/** An answered call, of the step that asked it in this job. `name`: of its folder below `steps/`. */
type StepCall = { readonly name: string; readonly step: StepSource | null; readonly callToken: string; readonly completion: Completion };

/**
 * Request and response of the call that gave the answer, or of the last one that was answered at all; with more than one call, or
 * of a document that was asked in parts, those of every call. Where the answer was put together from the parts' answers, both
 * files at the top are lists of them.
 */
export function callFiles(folder: string, record: JobArtifacts): readonly ArtifactFile[] {
  const calls = answeredCalls(record);
  const isInParts = record.steps.some(({ part }) => part !== null);
  const steps = isInParts || record.calls.length > 1 ? calls.flatMap((call) => filesOf(`${folder}/steps/${call.name}`, record, call)) : [];
  return [...topFiles(folder, record, calls, isInParts), ...steps];
}

function topFiles(folder: string, record: JobArtifacts, calls: readonly StepCall[], isInParts: boolean): readonly ArtifactFile[] {
  const token = record.job.result?.callToken ?? null;
  const completion = token === null ? undefined : record.completions.get(token);
  if (token !== null && completion !== undefined) {
    const own = calls.find(({ callToken }) => callToken === token);
    return filesOf(folder, record, own ?? { name: '', step: null, callToken: token, completion });
  }
  if (isInParts) return indexFiles(folder, record, calls);
  const last = calls.at(-1);
  return last === undefined ? [] : filesOf(folder, record, last);
}

/** This job's calls in the order they were sent; then those of others that answered its steps. */
function answeredCalls(record: JobArtifacts): readonly StepCall[] {
  const own = inSendOrder(record.calls);
  const known = new Set(own.map(({ callToken }) => callToken));
  const steps = [...record.steps].sort((a, b) => a.stepId - b.stepId);
  const borrowed = steps.flatMap(({ stepId, callToken }) => (callToken === null || known.has(callToken) ? [] : [{ stepId, callToken }]));
  const isInParts = steps.some(({ part }) => part !== null);
  const counts = new Map<string, number>();
  return [...own, ...(isInParts ? borrowed : [])].flatMap(({ stepId, callToken }) => {
    const completion = record.completions.get(callToken);
    if (completion === undefined) return [];
    const name = stepName(steps, stepId);
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const step = steps.find((each) => each.stepId === stepId) ?? null;
    return [{ name: nth === 1 ? name : `${name}.${nth}`, step, callToken, completion }];
  });
}

function filesOf(folder: string, record: JobArtifacts, { step, callToken, completion }: StepCall): readonly ArtifactFile[] {
  const { wireBody, ...response } = completion;
  return [
    { path: `${folder}/request.json`, content: prettyJson(requestFile(wireBody, askedText(record, step), step?.part ?? null)) },
    { path: `${folder}/response.json`, content: prettyJson({ v: 1, callToken, ...response }) },
  ];
}

/** The `reduce` of a document's parts was asked about answers: where those quote all of a short text, it is theirs. */
function askedText({ steps, text }: JobArtifacts, step: StepSource | null): StoredText | null {
  return (step?.part ?? null) === null && steps.some(({ part }) => part !== null) ? null : text;
}

/** One entry for each part, in their order; the paths are `null` while it is not answered. */
function indexFiles(folder: string, record: JobArtifacts, calls: readonly StepCall[]): readonly ArtifactFile[] {
  const parts = new Map(record.steps.flatMap(({ part }) => (part === null ? [] : [[part.index, part] as const])));
  const entries = [...parts.values()]
    .sort((a, b) => a.index - b.index)
    .map((part) => {
      const call = calls.findLast(({ step }) => step?.part?.index === part.index);
      const path = (file: string) => (call === undefined ? null : `steps/${call.name}/${file}.json`);
      return {
        step: `chunk-${part.index + 1}`,
        start: part.start,
        end: part.end,
        ...pagesOf(record.pages, part),
        request: path('request'),
        response: path('response'),
      };
    });
  const content = prettyJson({ v: 1, parts: entries });
  return ['request', 'response'].map((file) => ({ path: `${folder}/${file}.json`, content }));
}

/** First and last page of a part; nothing for a document without pages. */
function pagesOf(pages: readonly Page[], part: Span): { readonly pages?: readonly [number, number] } {
  const own = pages.filter(({ start, end }) => start < part.end && part.start < end);
  const [first, last] = [own[0], own.at(-1)];
  return first === undefined || last === undefined ? {} : { pages: [first.number, last.number] };
}
