import { type Zippable, zipSync } from 'fflate';
import { DocumentFailure } from '../document-failure.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** Bullets on every level: numbers stand in the text already. */
const NUMBERING = `<w:numbering xmlns:w="${WORD}"><w:abstractNum w:abstractNumId="1">${[0, 1, 2, 3, 4]
  .map((level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="bullet"/></w:lvl>`)
  .join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;

/** HTML of a body that `BodyWriter` wrote, and what mammoth says about it. Nothing of the file itself reaches mammoth. */
export async function toHtml(body: string): Promise<{ readonly html: string; readonly messages: readonly string[] }> {
  const { default: mammoth } = await import('mammoth');
  const buffer = Buffer.from(
    zipSync(
      {
        'word/document.xml': Buffer.from(`<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`),
        'word/numbering.xml': Buffer.from(NUMBERING),
      } satisfies Zippable,
      { level: 0 },
    ),
  );
  try {
    const { value, messages } = await mammoth.convertToHtml({ buffer }, { includeEmbeddedStyleMap: false });
    return { html: `<html><body>${value}</body></html>`, messages: counted(messages.map(({ message }) => message).filter(isNews)) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DocumentFailure('document_broken', `mammoth cannot read it: ${message}`, { cause: error });
  }
}

/** The styles are ours, and the file that mammoth reads defines none. */
function isNews(message: string): boolean {
  return !/^Paragraph style with ID Heading\d was referenced but not defined/.test(message);
}

/** Each message once, with how often it came. */
function counted(messages: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts].map(([message, count]) => (count === 1 ? message : `${message} (${count} times)`));
}
