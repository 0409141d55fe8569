import { readFile } from 'node:fs/promises'

export type Tally = { passed: number; failed: number }

type VitestReport = {
  numPassedTests?: number
  numFailedTests?: number
  testResults?: { status?: string; assertionResults?: unknown[] }[]
}
type PlaywrightReport = {
  stats?: { expected?: number; unexpected?: number; flaky?: number }
  errors?: unknown[]
  suites?: PlaywrightSuite[]
}
type PlaywrightSuite = { suites?: PlaywrightSuite[]; specs?: PlaywrightSpec[] }
type PlaywrightSpec = { file: string; line: number; title: string; tests: { projectName: string; status: string }[] }

/** What a vitest JSON report counts. A file that could not even be loaded is one failure. */
export function tallyVitest(report: VitestReport): Tally {
  const broken = report.testResults?.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults?.length,
  )
  return { passed: report.numPassedTests ?? 0, failed: (report.numFailedTests ?? 0) + (broken?.length ?? 0) }
}

/** What a Playwright JSON report counts. A test that passed only when tried again has failed; so has a broken set-up. */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected = 0, unexpected = 0, flaky = 0 } = report.stats ?? {}
  return { passed: expected, failed: unexpected + flaky + (report.errors?.length ?? 0) }
}

/** The tests of a Playwright JSON report that failed, each time or at first, a line each. */
export async function doubtful(file: string): Promise<string[]> {
  const report = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as PlaywrightReport)
    .catch((): PlaywrightReport => ({}))
  return specsOf(report).flatMap(({ file, line, title, tests }) =>
    tests
      .filter(({ status }) => status in DOUBTS)
      .map(({ projectName, status }) => `${DOUBTS[status]}: ${projectName} ${file}:${line} ${title}`),
  )
}

const DOUBTS: Record<string, string> = { unexpected: 'failed', flaky: 'failed, and passed when tried again' }

const specsOf = ({ suites = [], specs = [] }: PlaywrightSuite): PlaywrightSpec[] => [
  ...specs,
  ...suites.flatMap(specsOf),
]

/**
 * The counts of one run of a test program. One that failed without a failure in its report, or that left no report,
 * counts as one failure: it never looks like a success.
 */
export async function readTally(file: string, isOk: boolean, tally: (report: object) => Tally): Promise<Tally> {
  const counted = await readFile(file, 'utf8')
    .then((text) => tally(JSON.parse(text) as object))
    .catch(() => ({ passed: 0, failed: 1 }))
  return !isOk && counted.failed === 0 ? { ...counted, failed: 1 } : counted
}

export const add = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
})

/** The last line of a test run, in the form that whoever runs it looks for. */
export const lastLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`
