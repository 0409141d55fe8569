import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { add, failure, readTally, render, tallyPlaywright, tallyVitest } from '@/scripts/tools/checks'

const reportOf = async (content: string): Promise<string> => {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'report-')), 'report.json')
  await writeFile(file, content)
  return file
}

test('a file that could not be loaded is a failure, and named with its reason', () => {
  const testResults = [
    {
      name: path.resolve('lib/a.test.ts'),
      status: 'failed',
      message: 'No such module\n\n  at b',
      assertionResults: [],
    },
    { name: path.resolve('lib/b.test.ts'), status: 'passed', assertionResults: [{ status: 'passed' }] },
  ]
  expect(tallyVitest({ numPassedTests: 1, numFailedTests: 0, testResults })).toEqual({
    passed: 1,
    failed: 1,
    faults: ['lib/a.test.ts: not loaded\n    No such module\n    at b'],
  })
})

test('a failed unit test is named with the beginning of its message', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const assertionResults = [{ fullName: 'adds', status: 'failed', failureMessages: [lines.join('\n')] }]
  const testResults = [{ name: path.resolve('lib/a.test.ts'), status: 'failed', assertionResults }]
  expect(tallyVitest({ numFailedTests: 1, testResults }).faults).toEqual([
    ['lib/a.test.ts: adds', ...lines.slice(0, 16)].join('\n    '),
  ])
})

test('a browser test that passed at the second try has failed with its first message, and so has a server that did not start', () => {
  const errors = [{ message: '\u001b[31mTest timeout of 120000ms exceeded.\u001b[39m' }]
  const spec = (title: string, status: string) => ({
    file: 'a.spec.ts',
    line: 3,
    title,
    tests: [{ projectName: 'desktop', status, results: status === 'flaky' ? [{ errors }, { errors: [] }] : [] }],
  })
  const report = {
    stats: { expected: 1, unexpected: 1, flaky: 1 },
    errors: [{ message: 'port taken' }],
    suites: [
      { specs: [spec('fine', 'expected')], suites: [{ specs: [spec('late', 'flaky'), spec('wrong', 'unexpected')] }] },
    ],
  }
  expect(tallyPlaywright(report)).toEqual({
    passed: 1,
    failed: 3,
    faults: [
      'desktop a.spec.ts:3: late (failed, and passed when tried again)\n    Test timeout of 120000ms exceeded.',
      'desktop a.spec.ts:3: wrong (failed)',
      'set-up\n    port taken',
    ],
  })
})

test.each([
  ['a report that is not there', undefined, true, failure('unit: no report')],
  ['a report that is broken', '{', true, failure('unit: no report')],
  [
    'a crash behind a clean report',
    '{"numPassedTests":2}',
    false,
    { ...failure('unit: ended with an error'), passed: 2 },
  ],
  ['a clean run', '{"numPassedTests":2}', true, { passed: 2, failed: 0, faults: [] }],
])('%s', async (_name, content, isOk, expected) => {
  const file = content === undefined ? '/nowhere/report.json' : await reportOf(content)
  expect(await readTally('unit', file, isOk, tallyVitest)).toEqual(expected)
})

test('what failed comes last but one, and the sum last', () => {
  const total = add([
    { passed: 2, failed: 0, faults: [] },
    { ...failure('types'), passed: 40 },
  ])
  expect(render(total)).toBe('FAIL types\n42 passed, 1 failed')
  expect(render(add([failure('one\n    why'), failure('two')]))).toBe(
    'FAIL one\n    why\nFAIL two\nfailed: one\nfailed: two\n0 passed, 2 failed',
  )
})
