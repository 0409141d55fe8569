import { test as base } from '@/e2e/testing/fixtures'

export { expect } from '@/e2e/testing/fixtures'

/** Journeys where timing and failures matter: the real server, with a model that plays scripts. */
export const test = base.extend({
  baseURL: async ({ scripted }, use) => {
    await use(scripted.origin)
    scripted.upstream.reset()
  },
})
