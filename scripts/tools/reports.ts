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

/** Counts the tests of a vitest JSON report. A file that could not be loaded is one failure. */
export function tallyVitest(report: VitestReport): Tally {
  const broken = report.testResults?.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults?.length,
  )
  return { passed: report.numPassedTests ?? 0, failed: (report.numFailedTests ?? 0) + (broken?.length ?? 0) }
}

/**
 * Counts the tests of a Playwright JSON report. A test that passed only when tried again has failed; so has a broken
 * set-up.
 */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected = 0, unexpected = 0, flaky = 0 } = report.stats ?? {}
  return { passed: expected, failed: unexpected + flaky + (report.errors?.length ?? 0) }
}

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
 * Reads the counts of a test run. One that failed without a failure in its report, or left no report, counts as one
 * failure, so that it never looks like a success.
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

export const lastLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`
