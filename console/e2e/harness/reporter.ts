import type { FullResult, Reporter, Suite, TestCase, TestError, TestResult } from "@playwright/test/reporter";

/** One line a test, what failed in full, and a last line that `.ci/check` counts. */
export default class Lines implements Reporter {
  private root: Suite | undefined;
  private broken = 0;

  onBegin(_: unknown, root: Suite): void {
    this.root = root;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    say(`${result.status.padEnd(8)} ${(result.duration / 1000).toFixed(1).padStart(5)} s  ${nameOf(test)}`);
    for (const error of result.errors) say(error.stack ?? error.message ?? "");
    for (const { name, path } of result.attachments) if (path) say(`  ${name}: ${path}`);
  }

  onStdOut(said: string | Buffer): void {
    process.stdout.write(said);
  }

  onStdErr(said: string | Buffer): void {
    process.stderr.write(said);
  }

  onError(error: TestError): void {
    this.broken += 1;
    say(error.stack ?? error.message ?? "");
  }

  onEnd(_: FullResult): void {
    const tests = this.root?.allTests() ?? [];
    const of = (outcome: ReturnType<TestCase["outcome"]>) => tests.filter((test) => test.outcome() === outcome);
    for (const test of of("flaky")) say(`FLAKY ${nameOf(test)}`);
    const passed = of("expected").length + of("flaky").length;
    say(`${passed} passed, ${of("unexpected").length + this.broken} failed`);
  }

  printsToStdio(): boolean {
    return true;
  }
}

function nameOf(test: TestCase): string {
  return test.titlePath().filter(Boolean).join(" › ");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
