import { test as base } from './fixtures'

export { expect } from './fixtures'

/** Journeys of people without welcome credit: one server on local chains, where any wallet may connect. */
export const test = base.extend({
  baseURL: async ({ stage }, use) => use(stage.origin()),
})
