import { partContext } from '../../documents/chunk/part-context.ts';
import { repeatedHeader } from '../../documents/chunk/repeated-header.ts';
import { type CanonicalText, positionOf, type Section } from '../../domain/document.ts';
import type { CountedPart } from '../../engine/planned-prompt.ts';
import type { ReadFile } from './read-file.ts';

/** The one object that `extract --json` prints. Offsets are UTF-16 units of the text that `extract` prints without `--json`. */
export function extractRecord(
  { name, content, bytesSha256, tokens: { tokens, maxTokens } }: ReadFile,
  parts: readonly CountedPart[] | null,
): object {
  const { format, extractor, title, textSha256, pages, blocks, lostPages, warnings, text } = content;
  return {
    v: 1,
    ...{ file: name, format, extractor, title, bytesSha256, textSha256 },
    characters: text.length,
    ...{ tokens, maxTokens },
    pages,
    sections: content.sections.map((section) => sectionRecord(content, section)),
    ...{ blocks, lostPages, warnings },
    ...(parts === null ? {} : { chunks: parts.map((counted) => chunkRecord(content, counted)) }),
  };
}

function sectionRecord(content: CanonicalText, section: Section): object {
  const { page, pageLabel, line } = positionOf(content, section.start, section.end);
  return { ...section, page, pageLabel, line };
}

/** `text.slice(start, end)` is the part; `[ownStart, end)` is what the one before does not hold. `header`: of a table that goes on in it. */
function chunkRecord(content: CanonicalText, { part, tokens }: CountedPart): object {
  const { headings, begins, pages } = partContext(content, part);
  const { index, of, start, end, ownStart } = part;
  return {
    ...{ index, of, start, end, ownStart },
    ...tokens,
    ...{ pages, headings, begins },
    header: repeatedHeader(content, part),
  };
}
