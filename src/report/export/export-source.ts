import type { ResultLine, RunHeader } from '../../domain/result-line.ts';
import { shownHeader, shownLine } from '../privacy.ts';

/** What an export is made of: a run's rows, or its `results.jsonl`. */
export type ExportSource = {
  readonly header: RunHeader;
  /** The jobs in plan order, from the first one again at each call. */
  readonly lines: () => AsyncIterable<ResultLine>;
};

/** The source as exports may show it: with `privacy.evidence: "none"` no word of a document or a model is left in it. */
export function shownSource(source: ExportSource): ExportSource {
  const { header } = source;
  if (header.privacy !== 'none') return source;
  return { header: shownHeader(header), lines: () => shownLines(source) };
}

async function* shownLines({ header, lines }: ExportSource): AsyncGenerator<ResultLine> {
  for await (const line of lines()) yield shownLine(line, header);
}
