import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { add, doubtful, lastLine, readTally, tallyPlaywright, tallyVitest } from '@/scripts/tools/reports'

const reportOf = async (content: string): Promise<string> => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'report-')), 'report.json')
  await writeFile(file, content)
  return file
}

test('a file that could not be loaded is a failure', () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'passed', assertionResults: [{}] },
  ]
  expect(tallyVitest({ numPassedTests: 1, numFailedTests: 0, testResults })).toEqual({ passed: 1, failed: 1 })
})

test('a browser test that passed at the second try has failed, and so has a server that did not start', () => {
  expect(tallyPlaywright({ stats: { expected: 3, unexpected: 1, flaky: 1 }, errors: [{}] })).toEqual({
    passed: 3,
    failed: 3,
  })
})

test('browser tests that failed are named, with whether they passed when tried again', async () => {
  const spec = (title: string, status: string) => ({
    file: 'a.spec.ts',
    line: 3,
    title,
    tests: [{ projectName: 'desktop', status }],
  })
  const report = {
    suites: [
      { specs: [spec('fine', 'expected')], suites: [{ specs: [spec('late', 'flaky'), spec('wrong', 'unexpected')] }] },
    ],
  }
  expect(await doubtful(await reportOf(JSON.stringify(report)))).toEqual([
    'failed, and passed when tried again: desktop a.spec.ts:3 late',
    'failed: desktop a.spec.ts:3 wrong',
  ])
  expect(await doubtful('/nowhere/report.json')).toEqual([])
})

test.each([
  ['a report that is not there', undefined, true, { passed: 0, failed: 1 }],
  ['a report that is broken', '{', true, { passed: 0, failed: 1 }],
  ['a crash behind a clean report', '{"numPassedTests":2}', false, { passed: 2, failed: 1 }],
  ['a clean run', '{"numPassedTests":2}', true, { passed: 2, failed: 0 }],
])('%s', async (_name, content, isOk, expected) => {
  const file = content === undefined ? '/nowhere/report.json' : await reportOf(content)
  expect(await readTally(file, isOk, tallyVitest)).toEqual(expected)
})

test('the last line has the sum', () => {
  expect(
    lastLine(
      add([
        { passed: 2, failed: 0 },
        { passed: 40, failed: 1 },
      ]),
    ),
  ).toBe('42 passed, 1 failed')
})
