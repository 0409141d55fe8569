import { test as base } from './fixtures'
import { type ScriptedServer, startScriptedServer } from './scripted-server'

export { expect } from './fixtures'

/** Journeys where timing and failures matter: the real server, with a model that plays scripts. */
export const test = base.extend<object, { scripted: ScriptedServer }>({
  scripted: [
    async ({}, use) => {
      const server = await startScriptedServer()
      await use(server)
      await server.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ scripted }, use) => {
    await use(scripted.origin)
    scripted.upstream.reset()
  },
})
