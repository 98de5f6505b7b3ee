import type { Reporter, TestModule } from 'vitest/node';

/** Closes a test run with one line that any script can read: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const count = (state: string): number => states.filter((each) => each === state).length;
    const skipped = count('skipped');
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
