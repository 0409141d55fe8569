import { CHAT_GROUPS } from '@/e2e/contract/chat-fields'
import { compatibilityTable } from '@/e2e/contract/compatibility-table'
import type { FieldRow } from '@/e2e/contract/field-rows'
import { RESPONSES_GROUP } from '@/e2e/contract/response-fields'
import { expect, test } from '@/e2e/contract/shared-stage'
import { ask, expectError } from '@/e2e/testing/ask'
import { expectPart } from '@/e2e/testing/compatibility-page'
import type { Stage } from '@/e2e/testing/contract-stage'
import type { LocalSite } from '@/e2e/testing/local-site'

const GROUPS = [...CHAT_GROUPS, RESPONSES_GROUP]

let site: LocalSite
let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  ;({ stage, site } = shared)
  key = await stage.newKey()
})

for (const { title, rows, path, base } of GROUPS) {
  const send = (more: object) => ask(stage, key, { ...base, ...more }, {}, path)
  test.describe(title, () => {
    for (const row of rows) {
      test(`${row.field}: taken, and ${row.effect[0]}`, async () => {
        const body = await bodyOf(row)
        const answer = await send(body)
        expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 200 })
        const wire = stage.upstream.bodies.at(-1) ?? {}
        await row.effect[1]({ answer, wire, site, send })
      })
      if (typeof row.refused === 'string') continue
      const refused = row.refused
      test(`${row.field}: a bad value is refused`, async () => {
        const before = stage.upstream.bodies.length
        const answer = await send(refused)
        expectError(answer, 400, 'INVALID_REQUEST')
        const named = Object.keys(answer.json.details as object).filter((name) => name !== '_errors')
        expect(named.length).toBeGreaterThan(0)
        for (const name of named) expect(refused).toHaveProperty(name)
        expect(stage.upstream.bodies).toHaveLength(before)
      })
    }
  })
}

async function bodyOf({ body }: FieldRow): Promise<object> {
  return typeof body === 'function' ? await body(site) : body
}

test('the table in the documentation is this one', async () => {
  await expectPart(compatibilityTable(GROUPS))
})
