import type { ReportDocument, ReportIndex, ReportJob } from '../html/report-data.ts';

/** What the file holds; all but the index is parsed when it is first asked for, and kept. */
export type ReportData = {
  readonly index: ReportIndex;
  /** `null`: the file does not hold it. */
  readonly job: (place: number) => ReportJob | null;
  /** Not kept: for who goes through all of them. */
  readonly jobsOfBlock: (block: number) => readonly ReportJob[];
  readonly document: (place: number) => ReportDocument | null;
  readonly string: (place: number) => string | null;
  /** Names of the blocks parsed so far. */
  readonly parsed: () => readonly string[];
};

/** `null` where there is no index. */
export function readData(root: Document): ReportData | null {
  const blocks = new Map<string, unknown>();
  const read = <T>(id: string): T | null => {
    if (!blocks.has(id)) blocks.set(id, parse(root, id));
    // The file's own blocks: written by the same version of the program as this script.
    return blocks.get(id) as T | null;
  };
  const readOnce = (id: string): unknown => (blocks.has(id) ? blocks.get(id) : parse(root, id));
  const index = read<ReportIndex>('aieval-index');
  if (index === null) return null;
  return {
    index,
    job: (place) => {
      const block = read<readonly ReportJob[]>(`aieval-jobs-${Math.floor(place / index.jobsPerBlock)}`);
      return block?.[place % index.jobsPerBlock] ?? null;
    },
    jobsOfBlock: (block) => (readOnce(`aieval-jobs-${block}`) ?? []) as readonly ReportJob[],
    document: (place) => read<ReportDocument>(`aieval-document-${place}`),
    string: (place) => read<readonly string[]>('aieval-strings')?.[place] ?? null,
    parsed: () => [...blocks.keys()],
  };
}

function parse(root: Document, id: string): unknown {
  const text = root.getElementById(id)?.textContent;
  return text === undefined || text === null ? null : JSON.parse(text);
}
