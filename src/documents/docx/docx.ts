import type { FormatContent } from '../content.ts';
import { DocumentFailure } from '../document-failure.ts';
import { readHtml } from '../html/html.ts';
import { BodyWriter } from './body-writer.ts';
import { fieldInstructions } from './field-instructions.ts';
import { type Findings, findingWarnings, noFindings } from './findings.ts';
import { Notes } from './notes.ts';
import { Numbering } from './numbering.ts';
import { refuseOle } from './ole.ts';
import { type PackageParts, packageParts } from './package-parts.ts';
import { pageBackdrop } from './page-backdrop.ts';
import { withParagraphNumbers } from './paragraph-numbers.ts';
import { Styles } from './styles.ts';
import { toHtml } from './to-html.ts';
import type { XmlElement } from './xml.ts';
import { allNamed, elementsOf, holdsText, textOf } from './xml-tree.ts';
import { zipParts } from './zip-parts.ts';

/**
 * Content of a Word file (`.docx`, and `.docm`, `.dotx`, `.dotm`): what a reader sees with all revisions accepted. `lines.number` is
 * the number of the paragraph or table row; no pages: Word makes them anew on each machine. Title from the properties, else the
 * paragraph in the style "Title", else the first heading. Throws `DocumentFailure`.
 */
export async function readDocx(bytes: Uint8Array): Promise<FormatContent> {
  refuseOle(bytes);
  const { body, title, findings } = writeBody(packageParts(zipParts(bytes)));
  if (body === '' && findings.images + findings.objects > 0) {
    throw new DocumentFailure('document_no_text', 'it holds images and no text; it needs OCR');
  }
  const { html, messages } = await toHtml(body);
  const content = withParagraphNumbers(readHtml(html, { areTablesData: true }));
  return {
    ...content,
    format: 'docx',
    extractor: `docx@2+mammoth@1.13.0+${content.extractor}`,
    title: title ?? content.headings[0]?.title ?? null,
    warnings: [...findingWarnings(findings), ...content.warnings, ...messages],
  };
}

function writeBody(parts: PackageParts): { readonly body: string; readonly title: string | null; readonly findings: Findings } {
  const findings = noFindings();
  const styles = new Styles(parts.styles);
  const numbering = new Numbering(parts.numbering, styles);
  const notes = new Notes(parts.footnotes, parts.endnotes);
  const stories = [parts.document, ...elementsOf(parts.footnotes), ...elementsOf(parts.endnotes)];
  const instructions = new Set(stories.flatMap((story) => [...fieldInstructions(story)]));
  const writer = new BodyWriter({ styles, numbering, notes, findings, instructions, page: pageBackdrop(parts.document) });
  for (const body of elementsOf(parts.document, 'w:body')) writer.write(body);
  findings.notes = notes.cited;
  findings.comments = elementsOf(parts.comments, 'w:comment').filter(holdsText).length;
  for (const text of parts.margins.flatMap(marginTexts)) findings.margins.add(text);
  for (const format of numbering.unknownFormats) findings.listFormats.add(format);
  return { body: writer.xml(), title: parts.title ?? writer.title, findings };
}

/** Lines of a page's head or foot; bare page numbers say nothing. */
function marginTexts(margin: XmlElement): readonly string[] {
  return allNamed(margin, 'w:p')
    .map((paragraph) => allNamed(paragraph, 'w:t').map(textOf).join('').replace(/\s+/g, ' ').trim())
    .filter((text) => /\p{L}/u.test(text));
}
