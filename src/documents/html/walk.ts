import { type Element, hasText, isDeleted, isElement, isNoText, localName, type Node } from './elements.ts';
import type { Style, StyleSheet } from './style-sheet.ts';
import { hidesAll, type Inherited, inheritedBy, isDrawnFormula, isSeen } from './visibility.ts';

export type Visitor = {
  text(value: string): void;
  /** `inside`: what holds for its children. */
  enter(element: Element, style: Style, inside: Inherited): void;
  leave(element: Element): void;
  /** A formula of MathML; what it holds is not visited. */
  math(element: Element): void;
  /** Text that is struck through; it is not visited. */
  deleted?(): void;
  /** Text that nobody sees; it is not visited. */
  hidden?(): void;
};

/** Where a walk begins, and what holds there. */
export type Start = { readonly root: Element; readonly inherited: Inherited; readonly sheet: StyleSheet };

type Frame = {
  readonly element: Element;
  readonly inside: Inherited;
  next: number;
  /** Text that is not seen here was told of. */
  isTold: boolean;
};

/** Visits what a reader sees, and is meant to read, in document order. A loop, because pages nest deeper than the stack of calls is. */
export function walkVisible({ root, inherited, sheet }: Start, visitor: Visitor): void {
  const frames: Frame[] = [];
  const open = (element: Element, style: Style, from: Inherited) => {
    const inside = inheritedBy(element, style, from);
    visitor.enter(element, style, inside);
    frames.push({ element, inside, next: 0, isTold: !isSeen(from) && (frames.at(-1)?.isTold ?? false) });
  };
  open(root, sheet.styleOf(root), inherited);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const child: Node | undefined = frame.element.childNodes[frame.next];
    frame.next += 1;
    if (child === undefined) {
      visitor.leave(frame.element);
      frames.pop();
    } else if (isElement(child)) {
      const style = sheet.styleOf(child);
      if (isVisited(child, style, visitor)) {
        if (localName(child) !== 'math') open(child, style, frame.inside);
        else if (isSeen(inheritedBy(child, style, frame.inside))) visitor.math(child);
        else visitor.hidden?.();
      }
    } else if (child.nodeName === '#text' && 'value' in child) {
      readText(child.value, frame, visitor);
    }
  }
}

function isVisited(element: Element, style: Style, visitor: Visitor): boolean {
  if (isNoText(element) || isDrawnFormula(element)) return false;
  const isHidden = hidesAll(element, style);
  if (!isHidden && !isDeleted(element, style.get('text-decoration'))) return true;
  if (!hasText(element)) return false;
  if (isHidden) visitor.hidden?.();
  else visitor.deleted?.();
  return false;
}

function readText(value: string, frame: Frame, visitor: Visitor): void {
  if (isSeen(frame.inside)) visitor.text(value);
  else if (!frame.isTold && value.trim() !== '') {
    frame.isTold = true;
    visitor.hidden?.();
  }
}
