import { partContext } from '../documents/chunk/part-context.ts';
import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import { answerKey, type KeyParts, keyRecord } from '../domain/key.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { renderTemplate } from '../domain/manifest/template.ts';
import type { Part } from '../domain/part.ts';
import type { Failure } from '../domain/reason.ts';
import { endpointIdentity } from '../providers/endpoint.ts';
import type { FollowingStep } from '../store/plan-rows.ts';
import { lengthError, reduceTooLong } from './length-limit.ts';
import { pageWords } from './part-intro.ts';
import { countTexts } from './planned-prompt.ts';
import { type PromptDocument, type RenderedPrompt, reduceForm, renderSystem, valueFor } from './prompt.ts';
import { reduceOutput } from './reduce-output.ts';

/** What was answered to one part. */
type PartAnswer = { readonly part: Part; readonly answer: Json };

export type ReduceInput = {
  readonly manifest: ResolvedManifest;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeat: number;
  readonly document: PromptDocument;
  /** The joined arrays and whatever all parts agree on. */
  readonly merged: Json;
  /** In the order of the parts. */
  readonly answers: readonly PartAnswer[];
};

/** The step that makes one answer of the parts' answers: the same key for the same answers, so that it too is asked once. */
export function reduceStep(input: ReduceInput): FollowingStep {
  const { manifest, task, model, repeat } = input;
  const texts = renderReduce(input);
  const parts: KeyParts = {
    endpoint: endpointOf(manifest, model),
    model: model.model,
    params: model.params,
    structuredOutput: model.structuredOutput,
    output: reduceOutput(task),
    ...texts,
    repeat,
    namespace: manifest.cache.namespace,
  };
  return {
    kind: 'reduce',
    index: 0,
    key: answerKey(parts),
    keyRecord: keyRecord(parts),
    ...countTexts(texts, reduceForm(task), model.structuredOutput),
    prefix: null,
    input: { kind: 'prompt', ...texts },
  };
}

/** Why the step can never be answered, now that the answers are there: they may be longer than was foreseen. `null`: it can. */
export function reduceFailure({ manifest, model }: Pick<ReduceInput, 'manifest' | 'model'>, step: FollowingStep): Failure | null {
  const error = lengthError(manifest, model, step.inputTokens);
  return error === null ? null : { ...reduceTooLong(error), class: 'permanent' };
}

function endpointOf({ providers }: ResolvedManifest, model: ResolvedModel): string {
  const provider = providers[model.provider];
  if (provider === undefined) throw new Error(`model ${model.id} names provider ${model.provider}, which is not there`);
  return endpointIdentity(provider);
}

/** Both texts of the step. Answers are told as canonical JSON: the same bytes however a model ordered its keys. */
export function renderReduce({ task, document, merged, answers }: Omit<ReduceInput, 'manifest' | 'model' | 'repeat'>): RenderedPrompt {
  const asked = { ...task, output: reduceOutput(task) };
  const prompt = renderTemplate(task.merge?.reduce ?? '', (name) => {
    if (name === 'merged') return canonicalJson(merged);
    if (name === 'answers') return canonicalJson(answers.map((each) => told(document, each)));
    return valueFor(name, asked, document);
  });
  return { system: renderSystem(asked, document), prompt };
}

/** Titles of a part's sections that are told. */
const MOST_TITLES = 20;

function told({ content }: PromptDocument, { part, answer }: PartAnswer): Json {
  const { headings, begins, pages } = partContext(content, part);
  const sections = [...headings.slice(-1), ...begins].slice(0, MOST_TITLES);
  return { part: part.index + 1, pages: pages === null ? null : pageWords(pages), sections, answer };
}
