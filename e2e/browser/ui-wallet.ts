import { test as base } from '@/e2e/testing/fixtures'

export { expect } from '@/e2e/testing/fixtures'

/** Journeys of people without welcome credit: one server on local chains, where any wallet may connect. */
export const test = base.extend({
  baseURL: async ({ stage }, use) => use(stage.origin()),
})
