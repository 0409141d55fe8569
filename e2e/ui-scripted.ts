import { test as base } from './fixtures'

export { expect } from './fixtures'

/** Journeys where timing and failures matter: the real server, with a model that plays scripts. */
export const test = base.extend({
  baseURL: async ({ scripted }, use) => {
    await use(scripted.origin)
    scripted.upstream.reset()
  },
})
