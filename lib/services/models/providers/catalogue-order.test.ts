import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/services/engines/registry'
import { setEnvironment } from '@/lib/services/identity/testing'
import {
  catalogue,
  followConnected,
  loadCatalogue,
  reloadCatalogue,
  unloadCatalogue,
} from '@/lib/services/models/catalogue'
import { chooseDefault, resetDefaults } from '@/lib/services/models/choose-default'
import { connectProvider } from '@/lib/services/models/providers/connect'

const database = await testDatabase()

afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
  await database.query('delete from provider')
})

const model = { upstreamModel: 'big', type: 'text', prices: { input: 1, output: 2 } } as const
const connection = { name: 'mine', address: 'https://mine.example/v1', models: [model], marginPercent: 0 }

function file(models: object[]): string {
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'models-')), 'models.json')
  const engines = { house: { kind: 'openai', baseUrls: ['http://10.0.0.5:8000/v1'] } }
  writeFileSync(place, JSON.stringify({ engines, models }))
  return place
}

async function load(models: object[]): Promise<void> {
  setEnvironment({ MODELS_FILE: file(models), EMBEDDED_MODELS: 'off' })
  await loadCatalogue()
  await followConnected()
}

test('a models file keeps the ids and names that it has, and a provider adds the rest', async () => {
  await load([{ id: 'mine/big', type: 'text', engine: 'house', aliases: ['small'] }])
  const small = { ...model, upstreamModel: 'small' }
  const shown = await connectProvider({ ...connection, models: [model, small] })
  expect(shown.models.map(({ id, state }) => [id, state])).toEqual([
    ['mine/big', 'taken'],
    ['mine/small', 'live'],
  ])
  expect(catalogue().byId.get('mine/big')!.engine).toBe('house')
  expect(catalogue().aliases('text').get('small')!.id).toBe('mine/big')
  expect(catalogue().byId.get('mine/small')!.aliases).toEqual([])
})

test('what is connected survives a reload of the file, and an added model of the file wins', async () => {
  await load([{ id: 'own', type: 'text', engine: 'house' }])
  await connectProvider(connection)
  expect(
    catalogue()
      .list('text', 0)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['mine/big', 'own'])
  setEnvironment({ MODELS_FILE: file([{ id: 'mine/big', type: 'text', engine: 'house' }]) })
  await reloadCatalogue()
  expect(
    catalogue()
      .list('text', 0)
      .map(({ id, engine }) => [id, engine]),
  ).toEqual([['mine/big', 'house']])
})

test('a provider is loaded before the first request of the next start', async () => {
  await load([{ id: 'own', type: 'text', engine: 'house' }])
  await connectProvider(connection)
  unloadCatalogue()
  await loadCatalogue()
  expect(catalogue().byId.has('mine/big')).toBe(false)
  await followConnected()
  expect(catalogue().byId.get('mine/big')!.rates).toMatchObject({ input: 1_000_000n, output: 2_000_000n })
})

test('a default of the models file stays; where it names none, the operator chooses', async () => {
  const house = { id: 'atlas', type: 'text', engine: 'house' }
  await load([{ ...house, traits: ['default'] }])
  await connectProvider(connection)
  await expect(chooseDefault('mine/big')).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  const standard = () => catalogue().traits('text', Date.now()).get('default')?.id
  expect(standard()).toBe('atlas')

  setEnvironment({ MODELS_FILE: file([house]) })
  await reloadCatalogue()
  expect(standard()).toBe('atlas')
  await chooseDefault('mine/big')
  expect(standard()).toBe('mine/big')
  await reloadCatalogue()
  expect(standard()).toBe('mine/big')
  await resetDefaults()
  expect(standard()).toBe('atlas')
})
