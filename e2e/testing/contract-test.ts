import { test as base, expect } from '@playwright/test'
import { type WatchedReplies, watchReplies } from '@/e2e/testing/described-fetch'
import type { OpenApiDocument } from '@/lib/endpoints/docs/openapi/document'

type Options = {
  /** Faults that a test provokes on purpose, by a part of their text: what no document can promise. */
  undescribed: readonly string[]
}
type Fixtures = { repliesAreDescribed: undefined }
type WorkerFixtures = { watch: WatchedReplies; document: OpenApiDocument }

/** A test of the contract: it has failed when it got a reply that the interface's own description does not promise. */
export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  undescribed: [[], { option: true }],
  watch: [
    async ({}, use) => {
      const watch = watchReplies()
      await use(watch)
      watch.stop()
    },
    { scope: 'worker', auto: true },
  ],
  // Servers of a build describe the same; the one of the run is there before any other.
  document: [
    async ({}, use) => {
      const reply = await fetch(`http://127.0.0.1:${process.env.E2E_PORT}/doc/api/openapi.json`)
      await use((await reply.json()) as OpenApiDocument)
    },
    { scope: 'worker' },
  ],
  repliesAreDescribed: [
    async ({ watch, document, undescribed }, use) => {
      await use(undefined)
      const faults = watch.faults(document).filter((fault) => !undescribed.some((part) => fault.includes(part)))
      expect(faults.join('\n')).toBe('')
    },
    { auto: true },
  ],
})

export { expect }
