/** Stands for whatever came after the bound was reached. */
const OTHER = 'other';

/** Bounds the number of series: a worker that lives for months meets the names of many manifests. */
export class LabelBound<Labels extends { readonly [name: string]: string }> {
  readonly #most: number;
  readonly #known = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The labels as they are when they are known or there is room for them, else each as `other`. */
  of(labels: Labels): Labels {
    const id = JSON.stringify(Object.values(labels));
    if (!this.#known.has(id)) {
      if (this.#known.size >= this.#most) return { ...labels, ...Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])) };
      this.#known.add(id);
    }
    return labels;
  }
}
