import { afterAll, afterEach, expect, test } from 'vitest'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/services/engines/registry'
import { setEnvironment } from '@/lib/services/identity/testing'
import { catalogue, followConnected, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import { deleteProvider, insertProvider, updateProvider } from '@/lib/services/models/providers/store'

const server = await realDatabase()
const own = await server.open(4)
const others = await server.open(4)
afterAll(() => installDatabase(undefined))
afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
})
setEnvironment({ EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' })

/** Runs a change as another process on the same database would: its rows are ours, its catalogue is not. */
async function elsewhere<T>(change: () => Promise<T>): Promise<T> {
  installDatabase(others)
  try {
    return await change()
  } finally {
    installDatabase(own)
  }
}

const prices = (input: number) => [{ upstreamModel: 'm', type: 'text' as const, prices: { input, output: 2 } }]
const provider = (name: string) => ({
  name,
  preset: null,
  definition: { kind: 'openai' as const, baseUrls: [`https://${name}.example/v1`] },
  key: 'sk-0123456789abcdef',
  models: prices(1),
  marginPercent: 0,
  isPaused: false,
})
const rateOf = (id: string) => catalogue().byId.get(id)?.rates?.input

test('what another process connects, changes and removes is followed within two seconds', async () => {
  installDatabase(own)
  await loadCatalogue()
  await followConnected()
  await elsewhere(() => insertProvider(provider('a')))
  await expect.poll(() => rateOf('a/m'), { timeout: 30_000 }).toBe(1_000_000n)
  await elsewhere(() => updateProvider('a', { models: prices(3) }))
  await expect.poll(() => rateOf('a/m'), { timeout: 30_000 }).toBe(3_000_000n)
  await elsewhere(() => deleteProvider('a'))
  await expect.poll(() => catalogue().byId.has('a/m'), { timeout: 30_000 }).toBe(false)
})

test('twenty changes at once are all counted, and one of twenty gets a name', async () => {
  installDatabase(own)
  const version = async () =>
    Number(
      (await own.query<{ value: string }>(`select value from installation where key = 'catalogue-version'`))[0]!.value,
    )
  const before = await version()
  const added = await Promise.all(Array.from({ length: 20 }, () => insertProvider(provider('b'))))
  expect(added.filter(Boolean)).toHaveLength(1)
  await Promise.all(Array.from({ length: 20 }, (_, at) => updateProvider('b', { marginPercent: at })))
  expect(await version()).toBe(before + 21)
})
