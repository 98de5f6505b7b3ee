/** Elements that HTML has no end tag of. */
const VOID: ReadonlySet<string> = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/**
 * XHTML as HTML: `<script/>` becomes `<script></script>`, where the HTML parser would take all that follows for code, and CDATA
 * sections become text. What is no tag stays as it is.
 */
export function xhtmlAsHtml(xml: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = xml.indexOf('<'); open !== -1; open = xml.indexOf('<', at)) {
    const markup = markupAt(xml, open);
    if (markup === null) break;
    parts.push(xml.slice(at, open), markup.html);
    at = markup.end;
  }
  parts.push(xml.slice(at));
  return parts.join('');
}

type Markup = { readonly html: string; readonly end: number };

function markupAt(xml: string, at: number): Markup | null {
  if (xml.startsWith('<!--', at)) return upTo(xml, '-->', at);
  if (xml.startsWith('<?', at)) return upTo(xml, '?>', at);
  if (xml.startsWith('<![CDATA[', at)) {
    const section = upTo(xml, ']]>', at);
    return section && { ...section, html: section.html.slice(9, -3).replaceAll('&', '&amp;').replaceAll('<', '&lt;') };
  }
  const last = tagEnd(xml, at);
  if (last === -1) return null;
  const tag = xml.slice(at, last + 1);
  const name = /^<([A-Za-z][^\s/>]*)/.exec(tag)?.[1];
  const isClosed = name !== undefined && tag.endsWith('/>') && !VOID.has(name.toLowerCase());
  return { html: isClosed ? `${tag.slice(0, -2)}></${name}>` : tag, end: last + 1 };
}

function upTo(xml: string, mark: string, at: number): Markup | null {
  const found = xml.indexOf(mark, at);
  if (found === -1) return null;
  const end = found + mark.length;
  return { html: xml.slice(at, end), end };
}

/** Where the tag ends; a `>` inside a value does not end it. */
function tagEnd(xml: string, at: number): number {
  let quote = '';
  for (let index = at + 1; index < xml.length; index += 1) {
    const character = xml[index];
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return index;
    else if (character === '"' || character === "'") quote = character ?? '';
  }
  return -1;
}
