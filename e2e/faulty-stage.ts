import { openStage, type Stage } from '@/e2e/contract-stage'
import { test } from '@/e2e/contract-test'

/** Opens, for the tests of a file, a server on which a client may fail a thousand times, and a key for it. */
export function openFaultyStage(use: (opened: { stage: Stage; key: string }) => void): void {
  let stage: Stage | undefined
  test.beforeAll(async () => {
    test.setTimeout(120_000)
    stage = await openStage({ failedRequests: { count: 1_000 } })
    use({ stage, key: await stage.newKey() })
  })
  test.afterAll(async () => stage?.stop())
}
