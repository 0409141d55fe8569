import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { compareBreaches, readBaseline, readImports } from '@/scripts/tools/import-rules'
import { packageBin, runStep, runTask, type StepResult } from '@/scripts/tools/step'

export const REPORTS = path.join('artifacts', 'reports')

const BIOME = packageBin('@biomejs', 'biome', 'bin', 'biome')
const KNIP = packageBin('knip', 'bin', 'knip.js')
const NEXT = packageBin('next', 'dist', 'bin', 'next')
const TSC = packageBin('typescript', 'bin', 'tsc')
const VITEST = packageBin('vitest', 'vitest.mjs')

/**
 * Runs lint, types, and the unit and route tests that are not slow.
 * @param choice arguments for vitest that choose among all of them, slow ones included.
 */
export async function runChecks(choice: string[] = []): Promise<Tally> {
  const [lint, types] = await Promise.all([runLint(), checkTypes()])
  const failedChecks = [...lint, types].filter(({ isOk }) => !isOk).map(({ name }) => failure(name))
  const env: Record<string, string> = choice.length === 0 ? { TEST_KIND: 'quick' } : {}
  return add([...failedChecks, await runVitest('unit and route tests', env, choice)])
}

export async function runLint(): Promise<StepResult[]> {
  // The first uses all processors, the others one each.
  return [await checkStyle(), ...(await Promise.all([checkImports(), checkExports()]))]
}

/** @param env with `TEST_KIND`, which vitest.config.ts reads. */
export async function runVitest(name: string, env: Record<string, string>, choice: string[] = []): Promise<Tally> {
  const report = path.join(REPORTS, `${name.replaceAll(' ', '-')}.json`)
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  const args = [VITEST, 'run', ...reporters, ...choice]
  const { isOk } = await runStep(name, process.execPath, args, { env: { NODE_ENV: 'test', ...env } })
  return readTally(name, report, isOk, tallyVitest)
}

const checkStyle = (): Promise<StepResult> =>
  runStep('format and lint', process.execPath, [BIOME, 'check', '--error-on-warnings', '.'])

/** Checks the direction of imports: the rules stand in dependency-rules.cjs. */
export const checkImports = (): Promise<StepResult> =>
  runTask('import rules', async () => {
    const root = process.cwd()
    const [{ breaches }, known] = await Promise.all([readImports(root), readBaseline(root)])
    const { added, mended } = compareBreaches(breaches, known)
    const faults = added.map(({ rule, from, to }) => `${rule}: ${from} imports ${to}`)
    if (added.length > 0) faults.push(`${added.length} imports go against dependency-rules.cjs (docs/architecture.md).`)
    if (mended.length > 0) faults.push(`${mended.length} known breaches are gone: npm run lint:imports -- --update`)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })

const checkExports = (): Promise<StepResult> =>
  runStep('unused exports', process.execPath, [KNIP, '--no-progress', '--no-config-hints'])

export async function checkTypes(): Promise<StepResult> {
  const env = { NEXT_TELEMETRY_DISABLED: '1' }
  const generated = await runStep('route types', process.execPath, [NEXT, 'typegen'], { env, isSilent: true })
  return generated.isOk ? runStep('types', process.execPath, [TSC, '--noEmit', '-p', '.']) : generated
}

/** `faults` names what failed: at least one line each, for the end of the run, where a reader of a long log looks first. */
export type Tally = { passed: number; failed: number; faults: string[] }

type VitestReport = {
  numPassedTests?: number
  numFailedTests?: number
  testResults?: { name?: string; status?: string; message?: string; assertionResults?: VitestTest[] }[]
}
type VitestTest = { fullName?: string; status?: string; failureMessages?: string[] }
type PlaywrightReport = {
  stats?: { expected?: number; unexpected?: number; flaky?: number }
  errors?: { message?: string }[]
  suites?: PlaywrightSuite[]
}
type PlaywrightSuite = { suites?: PlaywrightSuite[]; specs?: PlaywrightSpec[] }
type PlaywrightSpec = { file: string; line: number; title: string; tests: PlaywrightTest[] }
type PlaywrightTest = {
  projectName: string
  status: string
  /** Of each attempt. */
  results?: { errors?: { message?: string }[] }[]
}

const MAX_MESSAGE_LINES = 16

/** Counts the tests of a vitest JSON report. A file that could not be loaded is one failure. */
export function tallyVitest({ numPassedTests = 0, numFailedTests = 0, testResults = [] }: VitestReport): Tally {
  const broken = testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults?.length)
  const failed = testResults.flatMap(({ name = '', assertionResults = [] }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(
        (test) => `${path.relative('.', name)}: ${test.fullName}${indented(test.failureMessages?.join('\n') ?? '')}`,
      ),
  )
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    faults: [
      ...failed,
      ...broken.map(({ name = '', message = '' }) => `${path.relative('.', name)}: not loaded${indented(message)}`),
    ],
  }
}

/**
 * Counts the tests of a Playwright JSON report. A test that passed only when tried again has failed; so has a broken
 * set-up.
 */
export function tallyPlaywright(report: PlaywrightReport): Tally {
  const { expected = 0, unexpected = 0, flaky = 0 } = report.stats ?? {}
  const errors = report.errors ?? []
  const failed = specsOf(report).flatMap(({ file, line, title, tests }) =>
    tests
      .filter(({ status }) => status in STATUSES)
      .map((test) => {
        const { projectName, status, results = [] } = test
        const messages = results.flatMap(({ errors = [] }) => errors.map(({ message = '' }) => message))
        const said = indented(stripVTControlCharacters(messages[0] ?? ''))
        return `${projectName} ${file}:${line}: ${title} (${STATUSES[status]})${said}`
      }),
  )
  return {
    passed: expected,
    failed: unexpected + flaky + errors.length,
    faults: [...failed, ...errors.map(({ message = '' }) => `set-up${indented(message)}`)],
  }
}

const STATUSES: Record<string, string> = { unexpected: 'failed', flaky: 'failed, and passed when tried again' }

const specsOf = ({ suites = [], specs = [] }: PlaywrightSuite): PlaywrightSpec[] => [
  ...specs,
  ...suites.flatMap(specsOf),
]

const indented = (message: string): string =>
  message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_MESSAGE_LINES)
    .map((line) => `\n    ${line.trim()}`)
    .join('')

/**
 * Reads the counts of a test run. One that failed without a failure in its report, or left no report, counts as one
 * failure, so that it never looks like a success.
 */
export async function readTally(
  name: string,
  file: string,
  isOk: boolean,
  tally: (report: object) => Tally,
): Promise<Tally> {
  const counted = await readFile(file, 'utf8')
    .then((text) => tally(JSON.parse(text) as object))
    .catch(() => failure(`${name}: no report`))
  return !isOk && counted.failed === 0 ? add([counted, failure(`${name}: ended with an error`)]) : counted
}

export const failure = (fault: string): Tally => ({ passed: 0, failed: 1, faults: [fault] })

export const add = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
  faults: tallies.flatMap(({ faults }) => faults),
})

/** Renders what failed with its messages, once more as a list of one line each, then the counts as the last line. */
export const render = ({ passed, failed, faults }: Tally): string =>
  [
    ...faults.map((fault) => `FAIL ${fault}`),
    ...(faults.length > 1 ? faults.map((fault) => `failed: ${fault.split('\n', 1)[0]}`) : []),
    `${passed} passed, ${failed} failed`,
  ].join('\n')
