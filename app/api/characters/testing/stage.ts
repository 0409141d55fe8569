import { beforeAll, expect } from 'vitest'
import { POST } from '@/app/api/characters/route'
import type { FullCharacter } from '@/lib/contract/characters/character.schema'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { portraitPool } from '@/lib/endpoints/characters/portrait'
import type { RouteHandler } from '@/lib/pipeline/route'
import { call } from '@/lib/services/characters/testing'
import { imagePool } from '@/lib/services/media/image'
import { installModels, textModel } from '@/lib/services/models/testing/models'

/** The characters' routes on a database of the file's own, with two models. Once per file, at its top. */
export async function characterStage(): Promise<Database> {
  const database = await testDatabase()
  beforeAll(async () => {
    await installModels([textModel({ id: 'plain-1', traits: ['default'] }), textModel({ id: 'other-1' })])
    return () => {
      portraitPool().close()
      imagePool().close()
    }
  })
  return database
}

export type Headers = Record<string, string>
export const at = (handler: RouteHandler, slug: string, headers: Headers, method = 'GET', body?: unknown) =>
  call(handler, `/api/characters/${slug}`, { method, headers, body, params: { slug } })
export const create = (headers: Headers, body: object) =>
  call(POST, '/api/characters', { method: 'POST', headers, body })

export async function made(headers: Headers, changes: object = {}): Promise<FullCharacter> {
  const response = await create(headers, { name: 'Test Person', prompt: 'You are a test.', ...changes })
  expect(response.status).toBe(201)
  return (await response.json()).data
}
export async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).code]
}
