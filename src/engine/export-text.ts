import { resultsText } from '../artifacts/results-file.ts';
import { fileSpool } from '../artifacts/spool.ts';
import { badge } from '../report/export/badge.ts';
import { csv } from '../report/export/csv.ts';
import { type ExportSource, shownSource } from '../report/export/export-source.ts';
import { junit } from '../report/export/junit.ts';
import { type SarifOptions, sarif } from '../report/export/sarif.ts';

export type ExportKind = 'junit' | 'csv' | 'jsonl' | 'sarif' | 'badge';

/** The results of a run for another program, in parts, in bounded memory. Holds no words where the run's `privacy` does not allow them. */
export function exportText(kind: ExportKind, source: ExportSource, options: SarifOptions): AsyncIterable<string> {
  const shown = shownSource(source);
  switch (kind) {
    case 'junit':
      return junit(shown, fileSpool());
    case 'csv':
      return csv(shown);
    case 'jsonl':
      return resultsText(shown.header, shown.lines());
    case 'sarif':
      return sarif(shown, options);
    case 'badge':
      return badge(shown);
  }
}
