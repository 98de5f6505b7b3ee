import { visibleParts } from './logic/visible-text.ts';

export type Child = Node | string | null;

type Props = {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  readonly hidden?: boolean;
  /** Other attributes. None is `style`: the page's policy would refuse it. */
  readonly attributes?: { readonly [name: string]: string };
  readonly onClick?: (event: MouseEvent) => void;
};

/** An element with its children; a string becomes a text node, never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  apply(element, props);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A button that does not submit anything. */
export function button(props: Props, ...children: readonly Child[]): HTMLButtonElement {
  const element = el('button', props, ...children);
  element.type = 'button';
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An element of an SVG picture. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: { readonly [name: string]: string | number },
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.filter((child) => child !== null));
  return element;
}

function apply(element: HTMLElement, props: Props): void {
  if (props.class !== undefined) element.className = props.class;
  if (props.id !== undefined) element.id = props.id;
  if (props.title !== undefined) element.title = props.title;
  if (props.hidden === true) element.hidden = true;
  for (const [name, value] of Object.entries(props.attributes ?? {})) element.setAttribute(name, value);
  if (props.onClick !== undefined) element.addEventListener('click', props.onClick);
}

/** Text of a document or a model: what could not be seen is shown as a label. */
export function visible(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const part of visibleParts(text)) {
    fragment.append(part.label ? el('span', { class: 'unseen', title: 'characters that cannot be seen' }, part.text) : part.text);
  }
  return fragment;
}

/** A path of which, where room is short, the folders give way before the name. */
export function pathName(path: string): HTMLElement {
  const cut = path.lastIndexOf('/') + 1;
  return el(
    'span',
    { class: 'path' },
    el('span', { class: 'folders' }, path.slice(0, cut)),
    el('span', { class: 'last' }, path.slice(cut)),
  );
}

/** Text cut at `limit` characters, with a button that shows the rest. */
export function cutText(text: string, limit: number): DocumentFragment {
  const fragment = document.createDocumentFragment();
  if (text.length <= limit) {
    fragment.append(visible(text));
    return fragment;
  }
  const kept = text.slice(0, endOf(text, limit));
  const more = button({ class: 'more' }, `Show all ${text.length.toLocaleString('en')} characters`);
  more.addEventListener('click', () => more.replaceWith(visible(text.slice(kept.length))));
  fragment.append(visible(kept), more);
  return fragment;
}

/** Not inside a surrogate pair. */
function endOf(text: string, limit: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}
