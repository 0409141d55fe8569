import { expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { readReport } from '@/lib/services/usage/rows'

const { query } = await testDatabase()

/** Fails as a statement does that the database ends for its length, or for another reason. */
async function failing(code: string): Promise<string> {
  const name = `fails_with_${code.toLowerCase()}`
  await query(
    `create function ${name}() returns int language plpgsql as $$ begin raise exception using errcode = '${code}'; end $$`,
  )
  return `select ${name}()`
}

test('a report that the database ends for its length is a 504 that asks for a shorter range', async () => {
  await expect(readReport(await failing('57014'), [])).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    message: expect.stringContaining('Ask for a shorter one'),
  })
})

test('what fails in another way is no timeout', async () => {
  await expect(readReport(await failing('22012'), [])).rejects.not.toHaveProperty('code', 'REQUEST_TIMEOUT')
})
