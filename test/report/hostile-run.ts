import type { ResultLine, RunHeader } from '../../src/domain/result-line.ts';
import { absence, broken, coverage, failed, finding, header, line, score } from './sample.ts';

/**
 * A run in which every word of a document, a model or a server is `text`, and everything that has a name of its user's is `name`: its header,
 * and a line of each kind.
 */
export function hostileRun(text: string, name = text): { readonly header: RunHeader; readonly lines: readonly ResultLine[] } {
  const identity: Partial<ResultLine> = { jobId: name, document: name, task: name, model: name, artifacts: `jobs/${name}` };
  return {
    header: hostileHeader(text, name),
    lines: [
      failed({ ...identity, scores: [hostileScore(text, name)], coverage: hostileCoverage(text, name) }),
      line({ ...identity, document: `${name}2`, verdict: 'review', scores: [doubtfulScore(text, name)] }),
      broken({ ...identity, document: `${name}3`, error: { reason: 'bad_request', message: text } }),
      broken({ ...identity, document: `${name}4`, error: { reason: 'document_broken', message: text } }),
    ],
  };
}

function hostileHeader(text: string, name: string): RunHeader {
  const base = header();
  const error = { reason: 'document_broken' as const, message: text };
  return {
    ...base,
    run: { ...base.run, id: name, name },
    version: name,
    manifest: name,
    tasks: { [name]: { repeats: 1, aggregate: 'majority' } },
    models: { [name]: { provider: 'openai', model: name } },
    documents: [{ id: name, bytesSha256: null, textSha256: null, pages: null, characters: null, warnings: [text, text], error }],
    selection: { options: name, jobs: 4, of: 9 },
    speeds: { [name]: { firstTokenMs: 840, tokensPerSecond: 63.4 } },
    stoppedBy: [
      { why: name, lane: name, count: 1, until: null, message: text },
      { why: 'budget_group', lane: null, count: 1, until: null, message: text },
      { why: 'tags', lane: null, count: 1, until: null, message: null, tags: [name, `${name}2`] },
    ],
  };
}

function hostileScore(text: string, name: string) {
  const position = { page: 3, pageLabel: text, section: text, line: 14, start: 5, end: 30 };
  const marks = { marks: ['negated_lead_in' as const], context: text };
  const altered = finding({ status: 'rejected', tier: null, reason: 'altered', diff: text, text, source: name, position, ...marks }, text);
  const clipped = finding({ status: 'rejected', tier: null, reason: 'clipped', text: `said ${text} and more` }, `said ${text}`);
  const findings = [
    { ...altered, at: text, beside: { [text]: text, severity: text } },
    { ...clipped, at: text },
  ];
  const absences = [absence({ at: text, searched: [text, text, `${text}2`] })];
  return score({ check: name, type: name, verdict: 'fail', value: text, explanation: text, findings, absences });
}

function doubtfulScore(text: string, name: string) {
  const findings = [finding({ status: 'near', tier: null, diff: text, text }, text)];
  return score({ check: name, verdict: 'review', value: { [text]: [text] }, explanation: text, findings });
}

function hostileCoverage(text: string, name: string) {
  return coverage({
    textSha256: name,
    extractor: name,
    characters: 1,
    sections: { seen: 1, of: 9, missed: [text, text] },
    lostPages: [{ number: 7, label: text, why: text }],
  });
}
